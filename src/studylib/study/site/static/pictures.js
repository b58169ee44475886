// What the lessons' pictures share: elements and controls, points, the regions and the nodes of a tree, and
// points that a reader moves.
"use strict";
const Pictures = (() => {
  const WIDTH = 400, HEIGHT = 330, PAD = 8;
  const SHAPES = ["circles", "squares"];

  function make(name, attributes = {}, ...children) {
    const made = /^(svg|defs|pattern|path|circle|rect|line|text|polyline|polygon)$/.test(name)
      ? document.createElementNS("http://www.w3.org/2000/svg", name)
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function control(text, attributes, change, words = (value) => value) {
    const input = make("input", { type: "range", ...attributes });
    const output = make("output", {}, String(words(Number(attributes.value))));
    input.addEventListener("input", () => {
      output.textContent = words(input.valueAsNumber);
      change(input.valueAsNumber);
    });
    return make("label", {}, `${text} `, input, " ", output);
  }

  function button(text, press) {
    const made = make("button", { type: "button" }, text);
    made.addEventListener("click", press);
    return made;
  }

  const image = (label, height = HEIGHT) =>
    make("svg", { viewBox: `0 0 ${WIDTH} ${height}`, tabindex: 0, role: "application", "aria-label": label });

  /** Controls that go from step to step; `own` has at(), last() and go(step), which calls the result's show(). */
  function stepper(name, own) {
    let timer = null;
    const slider = make("input", { type: "range", min: 0, step: 1, "aria-label": name }), count = make("output");

    function stop() {
      clearInterval(timer);
      timer = null;
      play.textContent = "Play";
    }
    function go(to) {
      const step = Math.max(0, Math.min(own.last(), to));
      if (step === own.last()) stop();
      own.go(step);
    }
    function show() {
      const said = `${own.at()} of ${own.last()}`;
      slider.max = own.last();
      slider.value = own.at();
      slider.setAttribute("aria-valuetext", said);
      count.textContent = said;
    }

    const play = button("Play", () => {
      if (timer !== null) return stop();
      play.textContent = "Pause";
      timer = setInterval(() => go(own.at() + 1), Math.max(90, Math.min(700, 12000 / Math.max(1, own.last()))));
      go(own.at() >= own.last() ? 0 : own.at());
    });
    slider.addEventListener("input", () => (stop(), go(slider.valueAsNumber)));
    const steps = [["‹ Back", -1], ["Step ›", 1]].map(([text, by]) => button(text, () => (stop(), go(own.at() + by))));
    return { show, row: make("div", { class: "growth" }, play, ...steps, slider, count) };
  }

  const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}%`;
  const number = (value) => Number(value.toPrecision(3)).toString().replace("-", "−");

  // Where points come from, each kind with the box that is drawn.

  const sources = {
    moons: {
      box: [-2, -1.6, 3, 2.1], noise: [0, 0.6],
      draw(uniform, noise) {
        const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
        const label = +(uniform() < 0.5), angle = Math.PI * uniform();
        const [x, y] = [Math.cos(angle), Math.sin(angle)];
        const [a, b] = label ? [1 - x, 0.5 - y] : [x, y];
        return [[a + noise * normal(), b + noise * normal()], label];
      },
    },
    circle: {
      box: [-1, -1, 1, 1], noise: [0, 0.3],
      draw(uniform, noise) {
        const point = [2 * uniform() - 1, 2 * uniform() - 1];
        return [point, +(Math.hypot(...point) < 0.55) ^ +(uniform() < noise)];
      },
    },
    regions: { // those of studylib.datasets.clean_regions; coin tosses elsewhere
      box: [0, 0, 1, 1], noise: [0, 0.3],
      draw(uniform, noise) {
        const point = [uniform(), uniform()], coin = +(uniform() < 0.5), flipped = +(uniform() < noise);
        const k = Math.floor(5 * point[0]), low = 0.75 * (0.05 + (0.9 * ((3 * k + 1) % 5)) / 4);
        const inside = Math.abs(point[0] - (k + 0.5) / 5) < 0.08 && point[1] >= low && point[1] < low + 0.25;
        return [point, inside ? (k % 2) ^ flipped : coin];
      },
    },
  };

  /** Points of a source, from a state as `Trees.uniforms` takes it. */
  function drawPoints(source, n, noise, state) {
    const uniform = Trees.uniforms(state);
    const drawn = Array.from({ length: n }, () => source.draw(uniform, noise));
    return { x: drawn.map(([point]) => point), y: drawn.map(([, label]) => label), classes: 2 };
  }

  // The plane.

  /** From the plane to the drawing and back, for a box [left, bottom, right, top] of the plane. */
  function scales([left, bottom, right, top], height = HEIGHT) {
    const bounded = (value, low, high) => Math.max(low, Math.min(high, value));
    return {
      across: (x) => PAD + ((x - left) / (right - left)) * (WIDTH - 2 * PAD),
      up: (y) => height - PAD - ((y - bottom) / (top - bottom)) * (height - 2 * PAD),
      inside: ([x, y]) => [bounded(x, left, right), bounded(y, bottom, top)],
      /** The place in the plane of a pointer over the drawing. */
      place(svg, event) {
        const on = svg.getBoundingClientRect();
        const x = ((event.clientX - on.left) / on.width) * WIDTH, y = ((event.clientY - on.top) / on.height) * height;
        return [
          left + ((x - PAD) / (WIDTH - 2 * PAD)) * (right - left),
          bottom + ((height - PAD - y) / (height - 2 * PAD)) * (top - bottom),
        ];
      },
    };
  }

  /** The part of a convex polygon on one side of a cut. */
  function clip(polygon, { weights, threshold }, beyond) {
    const height = ([x, y]) => (weights[0] * x + weights[1] * y - threshold) * (beyond ? 1 : -1);
    return polygon.flatMap((p, k) => {
      const q = polygon[(k + 1) % polygon.length], a = height(p), b = height(q), kept = a >= 0 ? [p] : [];
      if (a >= 0 === b >= 0) return kept;
      const t = a / (a - b);
      return [...kept, [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]];
    });
  }

  /** The leaves of a tree with the polygons that they have of a box: [[node, [[x, y], …]], …]. */
  function regions(nodes, [left, bottom, right, top], isLeaf = (node) => node.first === null) {
    const found = [];
    const descend = (i, polygon) => {
      const node = nodes[i];
      if (isLeaf(node)) found.push([i, polygon]);
      else for (const child of [0, 1]) descend(node.first + child, clip(polygon, node.cut, child === node.cut.beyond));
    };
    descend(0, [[left, bottom], [right, bottom], [right, top], [left, top]]);
    return found;
  }

  /** How sure a node is: 0 where the classes are equal, 1 where there is one. */
  const purity = ({ counts, samples }) => (samples.length ? (2 * Math.max(...counts)) / samples.length - 1 : 0);
  const colour = (node) => (node.label === null ? "none" : `class-${node.label}`);

  function drawRegions(nodes, box, isLeaf) {
    const { across, up } = scales(box);
    return regions(nodes, box, isLeaf).map(([i, polygon]) => {
      const node = nodes[i], points = polygon.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join(" ");
      const shade = node.label === null ? 0.06 : 0.1 + 0.3 * purity(node);
      return make("polygon", { points, class: `region ${colour(node)}`, "fill-opacity": shade.toFixed(2), "data-node": i });
    });
  }

  const drawDots = (data, { across, up }) => data.x.map(([x, y], i) => {
    const at = { class: `point class-${data.y[i]}`, "data-point": i };
    return data.y[i]
      ? make("rect", { ...at, x: across(x) - 3.4, y: up(y) - 3.4, width: 6.8, height: 6.8 })
      : make("circle", { ...at, cx: across(x), cy: up(y), r: 4 });
  });

  const drawNames = (height = HEIGHT, [across, up] = ["x₁", "x₂"]) => [
    make("text", { x: WIDTH - PAD - 6, y: height - PAD - 6, "text-anchor": "end" }, across),
    make("text", { x: PAD + 5, y: PAD + 14 }, up),
  ];

  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

  /** Let a reader drag and flip points, by pointer and keyboard; `own` has data(), picked(), pick(i), changed(). */
  function letMove(svg, [left, bottom, right, top], { place, inside }, own) {
    function move(i, to) {
      own.data().x[i] = inside(to);
      own.changed();
    }

    function flip(i) {
      own.data().y[i] = 1 - own.data().y[i];
      own.changed();
    }

    let dragged = null;
    svg.addEventListener("pointerdown", (event) => {
      if (!event.target.dataset.point) return;
      dragged = { point: +event.target.dataset.point, x: event.clientX, y: event.clientY, moved: false };
      own.pick(dragged.point);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (!dragged) return;
      dragged.moved ||= Math.hypot(event.clientX - dragged.x, event.clientY - dragged.y) > 3;
      if (dragged.moved) move(dragged.point, place(svg, event));
    });
    svg.addEventListener("pointerup", () => {
      if (dragged && !dragged.moved) flip(dragged.point);
      dragged = null;
    });
    svg.addEventListener("pointercancel", () => (dragged = null));
    svg.addEventListener("keydown", (event) => {
      const arrow = ARROWS[event.key], picked = own.picked(), { x } = own.data();
      if (event.key === "Escape") own.pick(-1);
      else if ((event.key === "Enter" || event.key === " ") && picked >= 0) flip(picked);
      else if (arrow && event.shiftKey && picked >= 0) {
        move(picked, [x[picked][0] + (arrow[0] * (right - left)) / 50, x[picked][1] + (arrow[1] * (top - bottom)) / 50]);
      } else if (arrow) {
        const order = x.map((_, i) => i).sort((a, b) => x[a][0] - x[b][0]); // from left to right
        const at = order.indexOf(picked) + (arrow[0] || arrow[1]);
        own.pick(order[(at + order.length) % order.length]);
      } else return;
      event.preventDefault();
    });
  }

  // The tree.

  /** Places of the nodes in the drawing; those of the whole tree, so that none moves while it grows. */
  function layout(nodes) {
    const leaves = nodes.filter((node) => node.first === null).length;
    const depth = Math.max(1, ...nodes.map((node) => node.depth));
    const radius = Math.max(1.6, Math.min(9, (0.42 * WIDTH) / leaves, (0.4 * HEIGHT) / (depth + 1)));
    const places = [];
    let next = 0;
    (function put(i) {
      const node = nodes[i], y = 12 + (node.depth * (HEIGHT - 24)) / depth;
      if (node.first === null) {
        places[i] = { x: ((next++ + 0.5) * WIDTH) / leaves, y };
        return;
      }
      const order = [1 - node.cut.beyond, node.cut.beyond].map((child) => node.first + child); // small numbers left
      order.forEach(put);
      places[i] = { x: (places[order[0]].x + places[order[1]].x) / 2, y };
    })(0);
    return { places, radius };
  }

  /** Edges and nodes of those that are shown; `least` is the radius that an answer has at least. */
  function drawNodes(nodes, { isShown = () => true, isLeaf = (node) => node.first === null, least = 0 } = {}) {
    const { places, radius } = layout(nodes);
    const edges = [], marks = [];
    const parents = parentsOf(nodes);
    nodes.forEach((node, i) => {
      if (!isShown(i)) return;
      const { x, y } = places[i];
      if (i > 0) {
        const above = places[parents.get(i)];
        edges.push(make("line", { x1: above.x, y1: above.y, x2: x, y2: y, class: "edge", "data-edge": i }));
      }
      const inner = !isLeaf(node);
      const attributes = { class: `node ${inner ? "inner" : colour(node)}`, "data-node": i };
      const r = inner ? Math.max(1.6, radius * 0.6) : node.label === null ? radius : Math.max(least, radius);
      marks.push(
        node.label === 1 && !inner
          ? make("rect", { ...attributes, x: x - 0.9 * r, y: y - 0.9 * r, width: 1.8 * r, height: 1.8 * r })
          : make("circle", { ...attributes, cx: x, cy: y, r }),
      );
    });
    return [...edges, ...marks];
  }

  /** The parent of each node but the root, a Map. */
  function parentsOf(nodes) {
    const parents = new Map();
    nodes.forEach((node, i) => {
      if (node.first !== null) for (const child of [0, 1]) parents.set(node.first + child, i);
    });
    return parents;
  }

  return {
    WIDTH, HEIGHT, PAD, SHAPES, ARROWS, make, button, control, stepper, image, percent, number, sources, drawPoints, scales, drawRegions,
    drawDots, drawNames, letMove, layout, drawNodes, parentsOf,
  };
})();
