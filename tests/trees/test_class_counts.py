"""Codes in order and their tallies, against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib.trees._class_counts import ascending, gather, make_cells, make_workspace, sizes_of, tally

N_CODES = [1, 2, 63, 64, 65, 4095, 4096, 4097, 8193, 300_000]


def workspace_for(n, n_codes, n_classes):
    return make_workspace(n, np.array([n_codes], np.int64), n_classes)[2]


def counted_sizes(column, samples, m, room):
    return sizes_of(column, samples, m, room.present, room.row_of, room.sizes).tolist()


@given(data=st.data(), n_codes=st.sampled_from(N_CODES))
def test_codes_come_in_order_and_each_once(data, n_codes):
    ends = st.sampled_from(sorted({0, min(63, n_codes - 1), min(4096, n_codes - 1), n_codes - 1}))
    codes = data.draw(st.lists(st.integers(0, n_codes - 1) | ends, min_size=1, max_size=50))
    workspace = workspace_for(len(codes), n_codes, 2)
    present = np.array(codes, np.int32)
    m = ascending(present, n_codes, workspace.words, workspace.groups, present)
    assert present[:m].tolist() == sorted(set(codes))
    assert not workspace.words.any()
    assert not workspace.groups.any()


@pytest.mark.parametrize("n_codes", N_CODES)
@pytest.mark.parametrize("n", [1, 2, 30, 1000])
def test_classes_and_samples_of_each_code_are_counted(n, n_codes):
    rng = np.random.default_rng(n)
    workspace = workspace_for(n, n_codes, 3)
    column = rng.integers(0, n_codes, 2 * n).astype(np.int32)
    for _ in range(2):  # the room is left as it was found
        samples = rng.permutation(2 * n)[:n].astype(np.int32)
        y, weight = rng.integers(0, 3, n).astype(np.int32), rng.integers(1, 4, n) / 4
        m = tally(column, n_codes, samples, y, weight, workspace)
        present, place, sizes = np.unique(column[samples], return_inverse=True, return_counts=True)
        counts = np.zeros((len(present), 3))
        np.add.at(counts, (place, y), weight)
        assert workspace.present[:m].tolist() == present.tolist()
        assert (workspace.table[:m] == counts).all()
        assert counted_sizes(column, samples, m, workspace) == sizes.tolist()


def test_more_columns_than_codes_leave_room_for_the_columns_that_are_drawn():
    workspace = make_workspace(5, np.full(10_000, 2, np.int64), 2)[2]
    drawn = np.array([9_999, 0, 4_096], np.int32)
    assert ascending(drawn, 10_000, workspace.words, workspace.groups, drawn) == 3
    assert drawn.tolist() == [0, 4_096, 9_999]


@pytest.mark.parametrize("n_codes", N_CODES)
@pytest.mark.parametrize("n", [1, 2, 30, 1000])
@pytest.mark.parametrize("n_classes", [2, 40])
def test_cells_are_the_entries_of_the_table_to_the_last_bit(n, n_codes, n_classes):
    rng = np.random.default_rng(n)
    workspace = workspace_for(n, n_codes, n_classes)
    cells = make_cells(n, np.array([n_codes], np.int64), n_classes)[2]
    behind = np.append(cells.classes, np.int32(-7))
    cells = cells._replace(classes=behind[:-1])
    column = rng.integers(0, n_codes, 2 * n).astype(np.int32)
    for _ in range(2):  # the room is left as it was found
        samples = rng.permutation(2 * n)[:n].astype(np.int32)
        y, weight = rng.integers(0, n_classes, n).astype(np.int32), rng.random(n) + 0.1
        m = tally(column, n_codes, samples, y, weight, workspace)
        assert gather(column, n_codes, samples, y, weight, n_classes, cells) == m
        assert cells.present[:m].tolist() == workspace.present[:m].tolist()
        table = np.zeros((m, n_classes))
        n_cells = cells.starts[m]
        rows = np.repeat(np.arange(m), np.diff(cells.starts[: m + 1]))
        table[rows, cells.classes[:n_cells]] = cells.weights[:n_cells]
        assert n_cells == (2 * m if n_classes == 2 else np.count_nonzero(table))
        assert (table == workspace.table[:m]).all()
        assert counted_sizes(column, samples, m, cells) == counted_sizes(column, samples, m, workspace)
        assert behind[-1] == -7  # nothing is written beyond the room
