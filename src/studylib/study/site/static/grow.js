// Grows the library's trees on points of the plane: TreePredictor, one tree of GuidedRandomForestClassifier
// and PartialClassificationTree. Sums, ties and random draws are in the library's order, so that the trees are
// the same, node for node.
//
// Data are {x: [[x0, x1], …], y: [class, …], classes: number}. A tree is a list of nodes
// {depth, samples, counts, label, first, step, cut}: `first` is the first of two children, null in a leaf; `step`
// says which split in the order of growth divides the node; `label` is null where a tree abstains. A cut is
// {weights, threshold, side(point), beyond}: side is 0 or 1, the child that a point goes to, and `beyond` is the
// child where weights · point is larger than the threshold.
"use strict";
const Trees = (() => {
  const WORD = (1n << 64n) - 1n;

  /** Numbers in [0, 1) by splitmix64, as studylib.core.random.next_uniform draws them from a state. */
  function uniforms(state) {
    let s = BigInt(state);
    return () => {
      s = (s + 0x9e3779b97f4a7c15n) & WORD;
      let z = ((s ^ (s >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
      z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & WORD;
      return Number((z ^ (z >> 31n)) >> 11n) * 2 ** -53;
    };
  }

  const range = (n) => Array.from({ length: n }, (_, i) => i);
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const firstOfLargest = (values) => values.indexOf(Math.max(...values));

  function countsOf(data, samples) {
    const counts = new Array(data.classes).fill(0);
    for (const i of samples) counts[data.y[i]]++;
    return counts;
  }

  function makeNode(data, samples, depth) {
    const counts = countsOf(data, samples);
    return { depth, samples, counts, label: firstOfLargest(counts), first: null, step: null, cut: null };
  }

  const isPure = (node) => node.counts.filter((count) => count > 0).length < 2;

  /** Give a node two children, their samples in the order of the node's. */
  function divide(data, nodes, node, cut, step) {
    const parts = [[], []];
    for (const i of node.samples) parts[cut.side(data.x[i], i)].push(i);
    Object.assign(node, { first: nodes.length, step, cut });
    for (const part of parts) nodes.push(makeNode(data, part, node.depth + 1));
  }

  function axisCut(feature, threshold, beyond, side) {
    return { feature, threshold, weights: feature === 0 ? [1, 0] : [0, 1], beyond, side };
  }

  // TreePredictor: child 0 holds the points above the threshold.

  const impurities = {
    information(counts, n) {
      let total = 0;
      for (const count of counts) if (count > 0) total += (count / n) * Math.log2(count / n);
      return -total;
    },
    gini(counts, n) {
      let total = 0;
      for (const count of counts) total += (count / n) * (count / n);
      return 1 - total;
    },
    misclassification: (counts, n) => 1 - Math.max(...counts) / n,
  };

  /** The class that all samples of a value have, else -1. */
  function onlyClass(row) {
    const present = row.filter((count) => count > 0).length;
    return present === 1 ? row.findIndex((count) => count > 0) : -1;
  }

  function midpoint(low, high) {
    const middle = (low + high) / 2;
    return middle < high ? middle : low;
  }

  // Between two values of one and the same class no cut is best (Fayyad and Irani 1992).

  /** Each cut of a node between two values of a feature, upwards; no cut that is `inside` one class is best. */
  function* cuts(data, node, feature, impurity) {
    const n = node.samples.length, whole = impurity(node.counts, n);
    const isConcave = impurity !== impurities.misclassification; // strictly
    const table = new Map(); // class counts of each value
    for (const i of node.samples) {
      const value = data.x[i][feature];
      if (!table.has(value)) table.set(value, new Array(data.classes).fill(0));
      table.get(value)[data.y[i]]++;
    }
    const values = [...table.keys()].sort((a, b) => a - b);
    const below = new Array(data.classes).fill(0), above = [...node.counts];
    for (let k = 0; k + 1 < values.length; k++) {
      const row = table.get(values[k]);
      row.forEach((count, c) => {
        below[c] += count;
        above[c] -= count;
      });
      const nAbove = sum(above), nBelow = sum(below);
      const gain = whole - ((nAbove / n) * impurity(above, nAbove) + (nBelow / n) * impurity(below, nBelow));
      const single = onlyClass(row);
      const inside = isConcave && single >= 0 && single === onlyClass(table.get(values[k + 1]));
      yield { threshold: midpoint(values[k], values[k + 1]), gain, below: [...below], above: [...above], inside };
    }
  }

  function bestThreshold(data, node, impurity) {
    let best = { gain: -Infinity };
    for (const feature of [0, 1]) {
      for (const { threshold, gain, inside } of cuts(data, node, feature, impurity)) {
        if (!inside && gain > best.gain) best = { gain, feature, threshold };
      }
    }
    return best;
  }

  /** TreePredictor(criterion, max_depth=maxDepth), level by level. */
  function axis(data, { criterion = "information", maxDepth = Infinity } = {}) {
    const nodes = [makeNode(data, range(data.x.length), 0)];
    let step = 0;
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i];
      if (isPure(node) || node.depth >= maxDepth) continue;
      const { feature, threshold } = bestThreshold(data, node, impurities[criterion]);
      if (feature === undefined) continue;
      divide(data, nodes, node, axisCut(feature, threshold, 0, (point) => +(point[feature] <= threshold)), step++);
    }
    return nodes;
  }

  // PartialClassificationTree: child 0 holds the points below the threshold.

  /** PartialClassificationTree(min_samples_leaf, max_depth, max_loss) from a random state, in preorder. */
  function partial(data, { state, minSamplesLeaf = 4, maxDepth = 32, maxLoss = 0 }) {
    const uniform = uniforms(state);
    const root = makeNode(data, range(data.x.length), 0);
    const ends = (end) => [0, 1].map((f) => end(...data.x.map((point) => point[f])));
    const nodes = [root];
    const open = [{ node: root, feature: -1, lower: ends(Math.min), upper: ends(Math.max) }];
    let step = 0;
    while (open.length) {
      const { node, feature: before, lower, upper } = open.pop();
      const n = node.samples.length, majority = node.label;
      node.label = null;
      if (n > 0 && n >= minSamplesLeaf && (n - node.counts[majority]) / n <= maxLoss) {
        node.label = majority;
        continue;
      }
      if (n < minSamplesLeaf || node.depth >= maxDepth) continue;
      const feature = [before + 1, before + 2]
        .map((f) => f % 2)
        .find((f) => node.samples.some((i) => data.x[i][f] !== data.x[node.samples[0]][f]));
      if (feature === undefined) continue;
      const drawn = lower[feature] + uniform() * (upper[feature] - lower[feature]);
      const threshold = Math.min(Math.max(drawn, lower[feature]), upper[feature]);
      divide(data, nodes, node, axisCut(feature, threshold, 1, (point) => +!(point[feature] < threshold)), step++);
      const cutAt = (bounds) => bounds.map((bound, f) => (f === feature ? threshold : bound));
      open.push({ node: nodes[node.first + 1], feature, lower: cutAt(lower), upper });
      open.push({ node: nodes[node.first], feature, lower, upper: cutAt(upper) });
    }
    return nodes;
  }

  // One tree of GuidedRandomForestClassifier: child 1 holds the points beyond the hyperplane.

  const MAX_DRAWS = 10, MARGIN = 1e-6, SMALLEST_RANGE = 1e-300, MAX_CANDIDATES = 20;

  /** Mean by four running sums: their order is part of the results. */
  function mean(values) {
    const parts = [0, 0, 0, 0], n = values.length, whole = n - (n % 4);
    for (let i = 0; i < n; i++) parts[i < whole ? i % 4 : i - whole] += values[i];
    return (parts[0] + parts[1] + (parts[2] + parts[3])) / n;
  }

  /** Both features brought to mean 0 and deviation 1, as studylib.graf does. */
  function standardised(x) {
    const n = x.length;
    const scalings = [0, 1].map((f) => {
      const column = x.map((point) => point[f]);
      const low = Math.min(...column), high = Math.max(...column);
      const largest = Math.max(-low, high);
      const unit = largest === 0 ? 0.5 : 2 ** Math.floor(Math.log2(largest)); // exact to divide by
      const scaled = column.map((value) => value / unit);
      const center = low === high ? scaled[0] : sum(scaled) / n;
      const squares = sum(scaled.map((value) => (value - center) * (value - center)));
      return { unit, center, scale: low === high ? 1 : Math.sqrt(squares / n) };
    });
    const scale = (point) => point.map((value, f) => (value / scalings[f].unit - scalings[f].center) / scalings[f].scale);
    return { scale, scalings, points: x.map(scale) };
  }

  const project = (plane, point) => sum(plane.features.map((f, j) => plane.weights[j] * point[f]));
  const isDivided = (line, threshold) => line.some((value) => value > threshold !== line[0] > threshold);

  /** Range of a feature among some samples. */
  function ends(points, samples, feature) {
    const values = samples.map((i) => points[i][feature]);
    return [Math.min(...values), Math.max(...values)];
  }

  /** hyperplane="box": weights between the ends of the partition's box, equations 4 to 8 of the source. */
  function drawBox(points, data, node, uniform) {
    for (let draw = 0; draw < MAX_DRAWS; draw++) {
      const bounds = [0, 1].map((f) => ends(points, node.samples, f));
      const weights = bounds.map(([low, high]) => {
        const u = uniform(), margin = MARGIN * (high - low);
        return low < high ? low + margin + u * (high - margin - (low + margin)) : low;
      });
      if (bounds.every(([low, high]) => !(low < high))) return null;
      const plane = { features: [0, 1], weights };
      const line = node.samples.map((i) => project(plane, points[i]));
      plane.threshold = mean(line);
      if (isDivided(line, plane.threshold)) return plane;
    }
    return null;
  }

  /** Minus the Gini impurity, times samples, of both sides of a line of projections, sorted by class. */
  function score(line, threshold, bounds) {
    const n = [0, 0], squares = [0, 0];
    for (let c = 0; c + 1 < bounds.length; c++) {
      let beyond = 0;
      for (let i = bounds[c]; i < bounds[c + 1]; i++) beyond += line[i] > threshold;
      [bounds[c + 1] - bounds[c] - beyond, beyond].forEach((count, side) => {
        n[side] += count;
        squares[side] += count * count;
      });
    }
    return n[0] && n[1] ? -(n[0] - squares[0] / n[0] + (n[1] - squares[1] / n[1])) : -Infinity;
  }

  /** hyperplane="guided": the best of several candidates by Gini impurity, each cut at its mean. */
  function chooseGuided(points, data, node, uniform) {
    const byClass = range(data.classes).map((c) => node.samples.filter((i) => data.y[i] === c));
    const rows = byClass.flat();
    const bounds = [0];
    for (const part of byClass) if (part.length) bounds.push(bounds.at(-1) + part.length);
    const ranges = [0, 1].map((f) => ends(points, rows, f)).map(([low, high]) => high - low);
    const features = [0, 1]; // constant ones come first
    let nConstant = 0;
    for (let round = 0; round < MAX_DRAWS; round++) {
      let best = -Infinity, plane = null;
      for (let candidate = 0; candidate < MAX_CANDIDATES; candidate++) {
        let taken = 0;
        while (taken < 2 && nConstant + taken < 2) {
          const i = nConstant + taken;
          const j = i + Math.floor(uniform() * (2 - i));
          [features[i], features[j]] = [features[j], features[i]];
          if (ranges[features[i]] > SMALLEST_RANGE) taken++;
          else {
            [features[i], features[nConstant]] = [features[nConstant], features[i]];
            nConstant++;
          }
        }
        if (taken === 0) break;
        const used = features.slice(nConstant, nConstant + taken);
        const trial = { features: used, weights: used.map((f) => (2 * uniform() - 1) / ranges[f]) };
        const line = rows.map((i) => project(trial, points[i]));
        const reached = score(line, mean(line), bounds);
        if (reached > best) {
          best = reached;
          const kept = range(used.length).filter((k) => trial.weights[k] !== 0);
          plane = { features: kept.map((k) => used[k]), weights: kept.map((k) => trial.weights[k]) };
        }
      }
      if (nConstant === 2) return null;
      if (!plane) continue;
      const line = node.samples.map((i) => project(plane, points[i]));
      plane.threshold = mean(line);
      if (isDivided(line, plane.threshold)) return plane;
    }
    return null;
  }

  /** Impurity Z of a partition, equation 10 of the source. */
  function impurityOf(counts, totals) {
    let total = 0, squares = 0;
    counts.forEach((count, c) => {
      if (count === 0) return;
      total += count / totals[c];
      squares += (count / totals[c]) * (count / totals[c]);
    });
    return (1 - squares / (total * total)) * sum(counts);
  }

  /** A hyperplane of standardised features as a cut of the plane that the points lie in. */
  function cutBy(plane, { scale, scalings }, points) {
    const weights = [0, 0];
    let threshold = plane.threshold;
    plane.features.forEach((f, j) => {
      weights[f] = plane.weights[j] / scalings[f].scale / scalings[f].unit;
      threshold += plane.weights[j] * (scalings[f].center / scalings[f].scale);
    });
    const side = (point, i) => +(project(plane, i === undefined ? scale(point) : points[i]) > plane.threshold);
    return { plane, weights, threshold, beyond: 1, side };
  }

  /** GuidedRandomForestClassifier(1, hyperplane, max_features=2, min_samples_split) from a random state. */
  function guided(data, { state, hyperplane = "guided", minSamplesSplit = 2 }) {
    const uniform = uniforms(state), space = standardised(data.x), { points } = space;
    const root = makeNode(data, range(data.x.length), 0);
    const totals = root.counts, nodes = [root];
    const draw = hyperplane === "box" ? drawBox : chooseGuided;
    const places = new Map([[root, 0]]); // where a partition's samples begin, in the order of all partitions
    let open = [], step = 0;

    function classify(first) {
      for (const node of nodes.slice(first)) {
        node.label = firstOfLargest(node.counts.map((count, c) => count / totals[c]));
        if (isPure(node) || node.samples.length < minSamplesSplit) continue;
        open.push({ node, impurity: impurityOf(node.counts, totals) }); // ties go to the older partition
      }
    }

    classify(0);
    while (open.length) {
      const top = open.reduce((a, b) => (b.impurity > a.impurity ? b : a)).node;
      const plane = draw(points, data, top, uniform);
      if (!plane) {
        open = open.filter(({ node }) => node !== top);
        continue;
      }
      const cut = { ...cutBy(plane, space, points), origin: nodes.indexOf(top) };
      const divided = open.filter(({ node }) => new Set(node.samples.map((i) => cut.side(null, i))).size > 1);
      divided.sort((a, b) => places.get(a.node) - places.get(b.node));
      open = open.filter((one) => !divided.includes(one));
      const first = nodes.length;
      for (const { node } of divided) {
        divide(data, nodes, node, cut, step);
        const [left, right] = nodes.slice(node.first);
        places.set(left, places.get(node));
        places.set(right, places.get(node) + left.samples.length);
      }
      step++;
      classify(first);
    }
    return nodes;
  }

  return { uniforms, impurities, cuts, root: (data) => makeNode(data, range(data.x.length), 0), axis, partial, guided };
})();
