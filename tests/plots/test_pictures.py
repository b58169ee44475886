"""Pictures show what the estimators hold; that they are readable is for eyes to say."""

import io
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import PIL.Image
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from studylib import plots
from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from studylib.plots.captions import Numbers
from studylib.trees import AdaBoostClassifier, MultiwayTreePredictor, RandomForestClassifier, TreePredictor

mpl.use("agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.random((30, 2))
    return X, np.where(X[:, 0] + X[:, 1] < 1, "low", "high")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_partitions_are_the_leaves(data):
    tree = PartialClassificationTree(min_samples_leaf=2, random_state=0).fit(*data)
    ax = plots.draw_partitions(tree, *data)
    n_leaves = int((tree.nodes_["feature"] < 0).sum())
    outlines = [patch for patch in ax.patches if not patch.get_fill()]
    assert len(outlines) == n_leaves
    area = sum(patch.get_width() * patch.get_height() for patch in outlines)
    assert area == pytest.approx(np.prod(tree.bounds_[1] - tree.bounds_[0]))
    assert sum(len(points.get_offsets()) for points in ax.collections) == 30


def test_partial_tree_names_labels_and_marks_abstention(data):
    tree = PartialClassificationTree(min_samples_leaf=2, random_state=0).fit(*data)
    words = texts(plots.draw_partial_tree(tree, max_depth=40))
    assert len(words) == len(tree.nodes_)
    assert sum(text.startswith("Λ") for text in words) == int(
        ((tree.nodes_["label"] == -1) & (tree.nodes_["feature"] < 0)).sum()
    )
    assert len(texts(plots.draw_partial_tree(tree, max_depth=1))) == 3


def test_names_of_leaves_link_the_partitions_and_the_tree(data):
    tree = PartialClassificationTree(min_samples_leaf=2, random_state=0).fit(*data)
    names = {int(at): f"leaf {at}" for at in np.flatnonzero(tree.nodes_["feature"] < 0)}
    ax = plots.draw_partitions(tree, *data, names=names)
    outlines = {patch.get_xy() for patch in ax.patches if not patch.get_fill()}
    assert {text.get_text(): text.xy for text in ax.texts}.keys() == set(names.values())
    assert {tuple(text.xy) for text in ax.texts} == outlines
    words = texts(plots.draw_partial_tree(tree, max_depth=40, names=names))
    assert {text.split(":")[0] for text in words if text.startswith("leaf")} == set(names.values())


def test_decision_surface_shows_what_is_predicted(data):
    forest = PartialClassificationForest(5, min_samples_leaf=2, random_state=0).fit(*data)
    ax = plots.draw_decision_surface(forest, [[0, 0], [1, 1]], resolution=20)
    (image,) = ax.images
    labels = forest.predict(plots.surface_grid([[0, 0], [1, 1]], 20))
    codes = np.select([labels == label for label in forest.classes_], [1, 2], 0)
    assert np.array_equal(np.asarray(image.get_array()).ravel(), codes)


def test_surface_grid_goes_row_by_row_from_below():
    assert plots.surface_grid([[0, 10], [2, 14]], 2).tolist() == [[0.5, 11], [1.5, 11], [0.5, 13], [1.5, 13]]


def test_growth_marks_the_samples_that_weigh(data):
    forest = GuidedRandomForestClassifier(1, max_features=2, random_state=0).fit(*data)
    axes = plots.draw_growth(forest, *data, [0, 1, 99], resolution=30)
    assert "ω has 30 samples" in axes[0].get_title()
    assert "all pure" in axes[2].get_title()
    large = [
        sum(len(c.get_offsets()) for c in ax.collections if getattr(c, "get_sizes", list)()[:1] == [38])
        for ax in axes
    ]
    tree = forest.trees_[0]
    assert large == [30, int(tree.n_samples[tree.origins[1]]), 0]


def test_guided_tree_shows_every_partition_and_its_code(data):
    forest = GuidedRandomForestClassifier(1, max_features=2, random_state=0).fit(*data)
    tree = forest.trees_[0]
    words = texts(plots.draw_guided_tree(forest, max_depth=99))
    boxes = [text for text in words if "\n" in text]
    assert len(boxes) == len(tree.nodes)
    assert sum("(ω)" in text for text in boxes) == len(tree.thresholds)
    assert {text.split("\n")[1] for text in boxes if "λ" not in text} == {
        code for code, leaf in zip(tree.codes(), tree.is_leaf(), strict=True) if leaf
    }


def test_guided_tree_grows_to_the_right_and_shows_the_way_of_a_sample(data):
    forest = GuidedRandomForestClassifier(1, max_features=2, random_state=0).fit(*data)
    ax = plots.draw_guided_tree(forest, max_depth=99, sideways=True, sample=data[0][7])
    code = forest.trees_[0].codes()[forest.apply(data[0][7:8])[0, 0]]
    broad = [line for line in ax.lines if line.get_linewidth() > 2]
    assert len(broad) == len(code)
    leaf = next(text for text in ax.texts if text.get_text().endswith(f"\n{code}"))
    last = max(broad, key=lambda line: line.get_xdata()[1])
    assert leaf.get_position() == (last.get_xdata()[1], last.get_ydata()[1])
    assert leaf.get_position()[0] == len(code)
    drawn_down = plots.draw_guided_tree(forest, max_depth=99)
    assert sorted(texts(ax)) == sorted(texts(drawn_down))


def test_what_is_not_in_the_plane_is_refused(data):
    X, y = np.hstack([data[0], data[0]]), data[1]
    with pytest.raises(ValueError, match="draw_partitions: tree must have 2 features, got 4"):
        plots.draw_partitions(PartialClassificationTree().fit(X, y), X, y)
    forest = GuidedRandomForestClassifier(1).fit(X, y)
    with pytest.raises(ValueError, match="draw_growth: the forest must have 2 features"):
        plots.draw_growth(forest, X, y, [1])


def test_tree_has_its_true_branches_to_the_left_and_stubs_for_what_is_not_drawn(data):
    tree = TreePredictor().fit(*data)
    whole = plots.draw_tree(tree, max_depth=99)
    boxes = {text.get_text(): text.get_position() for text in whole.texts if "n = " in text.get_text()}
    assert sum("n = " in text for text in texts(whole)) == tree.n_nodes_
    assert texts(whole).count("yes") == texts(whole).count("no") == tree.n_nodes_ // 2
    answers = {"yes": [], "no": []}
    for text in whole.texts:
        if text.get_text() in answers:
            answers[text.get_text()].append(text.get_position())
    for (left, level), (right, same) in zip(answers["yes"], answers["no"], strict=True):
        assert left < right
        assert level == same
    assert max(y for _, y in boxes.values()) == 0  # the root
    part = plots.draw_tree(tree, max_depth=1)
    assert sum("n = " in text for text in texts(part)) == 3
    dotted = [line for line in part.lines if line.get_linestyle() == ":"]
    inner = [node for node in (1, 2) if tree.nodes_["feature"][node] >= 0]
    assert len(dotted) == 2 * len(inner) > 0
    assert [text.get_text() for text in part.get_legend().get_texts()] == ["high", "low"]


def test_a_figure_is_shown_at_twice_the_resolution_with_its_text_and_its_caption(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda what, metadata: shown.append((what, metadata)))
    figure, ax = plt.subplots(figsize=(4, 2))
    ax.plot([0, 1])
    plots.show(figure, "A rising line.")
    (image, metadata), (caption, mark) = shown
    assert mark == {"caption": True}  # the page has its own
    assert re.fullmatch(r"Figure \d+\. A rising line\.", repr(caption))
    assert re.fullmatch(r"<p[^>]*><b>Figure \d+\.</b> A rising line\.</p>", caption._repr_html_())
    described = metadata["image/png"]
    pixels = PIL.Image.open(io.BytesIO(image.data)).size
    assert described["alt"] == "A rising line."
    assert pixels[0] // 2 == described["width"]
    assert pixels[1] // 2 == described["height"]
    assert 3 * 110 < described["width"] < 5 * 110
    assert not plt.fignum_exists(figure.number)


def test_figures_are_numbered_in_the_order_of_their_cells_and_keep_their_numbers():
    numbers = Numbers()
    assert [numbers.next("a", 1), numbers.next("a", 1), numbers.next("b", 2)] == [1, 2, 3]
    assert [numbers.next("a", 3), numbers.next("a", 3), numbers.next("a", 4)] == [1, 2, 1]  # run again
    assert numbers.next("c", 5) == 4


# Every kind of tree


def test_multiway_tree_has_its_values_beside_the_branches():
    X = pd.DataFrame({"cap": list("abcabc"), "size": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0]})
    tree = MultiwayTreePredictor().fit(X, list("xyzxxz"))
    words = texts(plots.draw_tree(tree, max_depth=9))
    assert sum("n = " in text for text in words) == tree.n_nodes_
    branches = sorted(text for text in words if "n = " not in text)
    expected = []
    for node in np.flatnonzero(tree.nodes_["feature"] >= 0):
        name, condition = tree.feature_names_[tree.nodes_["feature"][node]], tree.condition(node)
        for outcome in range(condition.n_outcomes):
            expected.append(condition.describe(name, outcome).removeprefix(f"{name} ").removeprefix("= "))
    assert branches == sorted(expected)
    assert tree.n_nodes_ > 4


def test_member_of_a_forest_is_drawn_as_the_tree_itself(data):
    forest = RandomForestClassifier(3, random_state=0).fit(*data)
    assert texts(plots.draw_tree(forest, member=2)) == texts(plots.draw_tree(forest.estimators_[2]))
    boosted = AdaBoostClassifier(3).fit(*data)
    assert texts(plots.draw_tree(boosted, member=1)) == texts(plots.draw_tree(boosted.estimators_[1]))
    guided = GuidedRandomForestClassifier(3, random_state=0).fit(*data)
    assert texts(plots.draw_tree(guided, member=1)) == texts(
        plots.draw_guided_tree(guided, tree=1, max_depth=3)
    )
    partial = PartialClassificationForest(3, min_samples_leaf=2, random_state=0).fit(*data)
    drawn = [texts(plots.draw_tree(partial, 30, member=k)) for k in range(3)]
    assert [len(words) for words in drawn] == [len(tree.nodes_) for tree in partial.estimators_]
    assert texts(plots.draw_tree(partial.estimators_[1], 30)) == drawn[1]
    single = PartialClassificationTree(min_samples_leaf=2, random_state=0).fit(*data)
    assert texts(plots.draw_tree(single)) == texts(plots.draw_partial_tree(single, max_depth=3))


def test_what_cannot_be_drawn_is_refused_in_one_sentence(data):
    forest = RandomForestClassifier(3).fit(*data)
    with pytest.raises(ValueError, match=r"^draw_tree: a RandomForestClassifier has 3 trees; say which one"):
        plots.draw_tree(forest)
    with pytest.raises(ValueError, match=r"^draw_tree: member must be an integer from 0 to 2, got 3\.$"):
        plots.draw_tree(forest, member=3)
    with pytest.raises(TypeError, match=r"^draw_tree: .* as in draw_tree\(forest, member=0\)\.$"):
        plots.draw_tree(GuidedRandomForestClassifier(2).fit(*data).trees_[0])
    with pytest.raises(TypeError, match=r"^draw_tree: there is no drawing of a BlendedForestClassifier's"):
        plots.draw_tree(BlendedForestClassifier(2).fit(*data), member=0)
    with pytest.raises(TypeError, match=r"^draw_tree: .* got DecisionTreeClassifier\(\); .*plot_tree\.$"):
        plots.draw_tree(DecisionTreeClassifier().fit(*data))
    with pytest.raises(NotFittedError):
        plots.draw_tree(TreePredictor())


def test_text_of_a_figure_has_nine_points_also_where_it_is_made_later():
    @plots.nine_points
    def draw():
        figure, ax = plt.subplots(figsize=(plots.WIDTH, 2))
        ax.plot([1, 2], label="line")
        ax.set(title="title", xlabel="x", ylabel="y")
        ax.legend(title="lines")
        ax.annotate("note", (0, 1))
        return figure

    plots.use_style()
    figure = draw()
    figure.canvas.draw()
    texts = figure.findobj(mpl.text.Text)
    assert {text.get_fontsize() for text in texts if text.get_text()} == {9}
    assert mpl.rcParams["font.size"] == 12  # as before


def test_settings_of_the_user_change_no_figure():
    plots.use_style()
    ours = dict(mpl.rcParams)
    with mpl.rc_context({"text.usetex": True, "axes.facecolor": "black", "image.cmap": "hot"}):
        plots.use_style()
        assert dict(mpl.rcParams) == ours
