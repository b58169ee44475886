"""Where the nodes of a binary tree stand in a drawing."""


def places(first_child, is_leaf, depths, levels):
    """Horizontal place of every node drawn: leaves side by side, parents over the middle of their children.

    Parameters
    ----------
    first_child, is_leaf, depths : arrays (n_nodes,)
        The left child of each node; the right one follows it.
    levels : int
        Nodes at this depth are drawn as ends, whatever is below them.

    Returns
    -------
    place : dict of int to float
    n_columns : int
    """
    place, column = {}, 0
    stack = [(0, False)]
    while stack:  # postorder
        at, below_done = stack.pop()
        first = int(first_child[at])
        if is_leaf[at] or depths[at] >= levels:
            place[at], column = column, column + 1
        elif below_done:
            place[at] = (place[first] + place[first + 1]) / 2
        else:
            stack += [(at, True), (first + 1, False), (first, False)]
    return place, column
