"""RuleClassifier: association rules whose consequent is the class, in the order of their confidence."""

from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from studylib.core.model import Classifier, fit_whole
from studylib.core.parameters import Integer, Real
from studylib.rules import _cover
from studylib.rules._transactions import Transactions
from studylib.rules._values import ValueEstimator
from studylib.rules.itemsets import Support, frequent, least_count

__all__ = ["RuleClassifier"]


class RuleClassifier(ValueEstimator, Classifier):
    """Classifier by a list of association rules, as CBA builds it.

    Items are "feature = value", numbers cut into intervals by :class:`OneRDiscretizer`.  Rules A ⇒ class come
    from the frequent itemsets with a class.  Of rules with the same A only the most confident one is a
    candidate; a tie goes to the first class.  Candidates are ordered by confidence, then support, then fewer
    conditions, then the order of :func:`apriori`.  Each in turn is kept if it is right for a training sample
    that no kept rule covers yet; then the list is cut where it makes the fewest errors on the training
    samples, the earliest such place.  The first rule that holds for a sample predicts its class; where none
    holds, the most frequent class among the training samples that no rule covers does.

    Parameters
    ----------
    min_support : float
        In (0, 1]: least share of all training samples for which both A and the class hold.
    min_confidence : float
        In [0, 1].
    max_len : int
        Most conditions of a rule.
    min_bucket_size : int
        See :class:`OneRDiscretizer`.
    max_itemsets : int
        ``fit`` raises MemoryError if there are more frequent itemsets; see :func:`apriori`.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names
    rules_ : DataFrame
        The rules in their order: ``antecedents`` (frozenset of str), ``label``, ``support``, ``confidence``,
        and ``n_decided``, number of training samples that the rule decides.  The last row is the default,
        without conditions, whose confidence is the share of the default class among all training samples.

    Notes
    -----
    A missing entry, or a category that was not in training, fulfils no condition.

    References
    ----------
    Liu, Hsu and Ma, *Integrating Classification and Association Rule Mining*, KDD 1998 (CBA, algorithm M1).

    Examples
    --------
    >>> from studylib.datasets import load_weather
    >>> from studylib.rules import RuleClassifier
    >>> weather = load_weather()
    >>> model = RuleClassifier(min_support=0.1).fit(weather.data, weather.target)
    >>> for rule in model.rules_.head(2).itertuples():
    ...     print(sorted(rule.antecedents), rule.label, rule.confidence)
    ['outlook = overcast'] yes 1.0
    ['humidity = normal', 'windy = False'] yes 1.0
    """

    _constraints: ClassVar[dict] = {
        "min_support": Support(),
        "min_confidence": Real(0.0, 1.0),
        "max_len": Integer(1, 1000),
        "min_bucket_size": Integer(1),
        "max_itemsets": Integer(1),
    }

    def __init__(
        self, min_support=0.01, min_confidence=0.5, *, max_len=3, min_bucket_size=6, max_itemsets=2_000_000
    ):
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_len = max_len
        self.min_bucket_size = min_bucket_size
        self.max_itemsets = max_itemsets

    def fit(self, X, y):
        """Find the rules.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        y : array-like (n_samples,), class labels of any type

        Returns
        -------
        self
        """
        return fit_whole(self, X, y)

    def _fit(self, X, y):
        parameters = self._checked()
        codes, y, _ = self._fit_values(X, y, parameters.min_bucket_size)
        bits, n = self._bits(codes), len(y)
        least = least_count(parameters.min_support, n)
        starts, items = self._itemsets(codes, bits, least, parameters.max_len, parameters.max_itemsets)
        classes = _cover.bits_of(y[:, None], np.zeros(1, np.int64), np.array([len(self.classes_)]))
        counts = _cover.class_counts(starts, items, bits, classes)
        right, total = counts.max(axis=1), counts.sum(axis=1)
        able = np.flatnonzero((right >= least) & (right / total >= parameters.min_confidence))
        size = np.diff(starts)
        able = able[np.lexsort((able, size[able], -right[able], -(right / total)[able]))]
        kept, decided, rest = _cover.select(able, starts, items, bits, classes, counts)
        self._rules = [items[starts[k] : starts[k + 1]] for k in kept]
        self._overall, self._decided = np.bincount(y, minlength=len(self.classes_)), decided
        rest = rest if rest.any() else self._overall
        self._counts = np.vstack([counts[kept], rest])  # of the samples that fulfil A, whatever decides them
        return self

    def _bits(self, codes):
        """Samples that hold each item, as bits."""
        sizes = np.array([len(values.known) for values in self._values])
        return _cover.bits_of(codes, np.cumsum(sizes) - sizes, sizes)

    def _itemsets(self, codes, bits, least, longest, most):
        """Start of each frequent itemset, int64, and the items, int32."""
        of = [(j, code) for j, values in enumerate(self._values) for code in range(len(values.known))]

        def columns(wanted):
            rows = [np.flatnonzero(codes[:, of[k][0]] == of[k][1]).astype(np.int32) for k in wanted]
            starts = np.append(0, np.cumsum([len(held) for held in rows]))
            return starts, np.concatenate([np.empty(0, np.int32), *rows])

        counts = _cover.sizes(bits)
        levels, complete = frequent(Transactions(len(codes), of, counts, columns), least, longest, most)
        if not complete:
            raise MemoryError(
                f"{type(self).__name__}: more than {most:,} frequent itemsets; raise min_support, lower "
                "max_len, or raise max_itemsets."
            )
        sizes = [np.full(len(level.items), level.items.shape[1]) for level in levels]
        starts = np.append(0, np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes])))
        return starts, np.concatenate([np.empty(0, np.int32), *(level.items.ravel() for level in levels)])

    @property
    def rules_(self):
        check_is_fitted(self)
        decided, overall, n = self._decided, self._overall, self._overall.sum()
        named = [text for texts in self._value_names() for text in texts]
        labels = self._counts.argmax(axis=1)
        rows = np.arange(len(self._rules))
        right, total = self._counts[rows, labels[:-1]], self._counts[:-1].sum(axis=1)
        share = overall[labels[-1]] / n
        return pd.DataFrame(
            {
                "antecedents": pd.Series(
                    [frozenset(named[k] for k in rule) for rule in [*self._rules, ()]], dtype=object
                ),
                "label": self.classes_[labels],
                "support": np.append(right / n, share),
                "confidence": np.append(right / total, share),
                "n_decided": np.append(decided, n - decided.sum()),
            }
        )

    def decide(self, X):
        """Row of ``rules_`` that decides each sample, int64 (n_samples,).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        check_is_fitted(self)
        codes = self._codes(X)
        starts = np.append(0, np.cumsum([len(rule) for rule in self._rules])).astype(np.int64)
        items = np.concatenate([np.empty(0, np.int32), *self._rules])
        return _cover.first_rule(starts, items, self._bits(codes), len(codes))

    def predict(self, X):
        """Class of each sample, (n_samples,).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        rules = self.decide(X)
        return self.classes_[self._counts.argmax(axis=1)[rules]]

    def predict_proba(self, X):
        """Class shares of the training samples that fulfil the deciding rule, (n_samples, n_classes).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        rules = self.decide(X)
        counts = self._counts[rules]
        return counts / counts.sum(axis=1, keepdims=True)
