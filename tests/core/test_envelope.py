"""Intervals that say what they assume."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom

from qanat.core import envelope, imagined, smooth
from qanat.core.arrays import Floats
from qanat.core.imagined import Labelled
from qanat.core.measures import Totals, f_measure
from qanat.core.priors import Prior
from qanat.core.smooth import Posterior

TARGETS = (0.5, 1.0, 0.0)
LEVELS = st.floats(0.01, 0.999)
# F may round to a little more than 1.
ROUNDING = 1e-12


def belief(mean: list[float], spread: float, common: float = 0.0, runs: int = 1) -> Posterior:
    """Return a belief in these log-odds, each spread by itself and all of them in common."""
    covariance = spread**2 * np.eye(len(mean)) + common**2
    return smooth.before(Prior(np.array(mean), covariance), runs)


def labelled(*cells: tuple[int, bool, int, int]) -> Labelled:
    """Return what is known of cells of a size, predicted or not, with labels and matches; none is lost."""
    size, predicted, labels, matches = (np.array(column) for column in zip(*cells, strict=True))
    none = np.zeros_like(size)
    return Labelled(size, predicted.astype(bool), *(row[None] for row in (labels, matches, none, none)))


@st.composite
def cells(draw: st.DrawFn) -> tuple[int, bool, int, int, int, int]:
    """Draw size, prediction, labels, matches, and the pairs lost and assumed to match."""
    size = draw(st.integers(1, 10 ** draw(st.integers(0, 5))))
    labels = draw(st.just(size) | st.just(0) | st.integers(0, size))
    matches = draw(st.just(0) | st.just(labels) | st.integers(0, labels))
    lost = draw(st.just(0) | st.integers(0, size - labels))
    return size, draw(st.booleans()), labels, matches, lost, draw(st.integers(0, lost))


@st.composite
def knowledge(draw: st.DrawFn) -> tuple[Labelled, Posterior]:
    """Draw what is known of one to five cells, and any belief about them, however wrong."""
    rows = draw(st.lists(cells(), min_size=1, max_size=5))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    mean = [draw(st.floats(-12, 8)) for _ in rows]
    known = Labelled(columns[0], columns[1], *(column[None] for column in columns[2:]))
    return known, belief(mean, draw(st.floats(0, 3)), draw(st.floats(0, 3)))


def ends(known: Labelled, posterior: Posterior, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of the envelope of F, precision and recall (3,) of the only run."""
    found = envelope.envelope(known, posterior, TARGETS, level).interval
    return found.low[:, 0], found.high[:, 0]


@given(knowledge(), LEVELS)
def test_an_envelope_is_an_interval_of_shares(given_: tuple[Labelled, Posterior], level: float) -> None:
    """Never NaN, `low` at most `high`, from 0 to 1; so is what is assumed; no more labels than are left."""
    known, posterior = given_
    found = envelope.envelope(known, posterior, TARGETS, level)
    low, high = found.interval
    assert np.all((low >= 0) & (low <= high) & (high <= 1 + ROUNDING))
    assert 0 <= found.assumption_share[0] <= 1
    assert 0 <= found.certification[0] <= known.left[known.is_unseen].sum()


@given(knowledge(), LEVELS)
def test_an_envelope_holds_the_median(given_: tuple[Labelled, Posterior], level: float) -> None:
    """Of every measure; a median is undefined only where no draw defines it."""
    low, high = ends(*given_, level)
    value, totals = envelope.medians(*given_, TARGETS)
    assert np.all(np.isnan(value[:, 0]) | ((low <= value[:, 0]) & (value[:, 0] <= high)))
    assert totals.true_positives <= min(totals.predicted, totals.matches)


@given(knowledge(), LEVELS, st.floats(0, 1))
def test_an_envelope_is_wider_at_a_higher_level(
    given_: tuple[Labelled, Posterior], level: float, share: float
) -> None:
    """It holds every envelope of a lower level."""
    wide, narrow = ends(*given_, level), ends(*given_, share * level)
    assert np.all(wide[0] <= narrow[0])
    assert np.all(narrow[1] <= wide[1])


@given(knowledge())
def test_lost_pairs_move_the_ends_as_they_should(given_: tuple[Labelled, Posterior]) -> None:
    """Taken for matches, pairs not predicted never raise an end and predicted ones never lower one."""
    known, posterior = given_
    none = ends(known._replace(assumed=np.zeros_like(known.lost)), posterior)
    missed = ends(known._replace(assumed=known.lost * ~known.is_predicted), posterior)
    hit = ends(known._replace(assumed=known.lost * known.is_predicted), posterior)
    for end, lower, higher in zip(none, missed, hit, strict=True):
        # Where nothing defines the measure, its ends are 0 and 1 whatever is assumed.
        defined = ~np.isnan(
            envelope.medians(known._replace(assumed=known.lost * 0), posterior, TARGETS)[0][:, 0]
        )
        assert np.all((lower <= end + ROUNDING)[defined])
        assert np.all((higher >= end - ROUNDING)[defined])


@given(st.lists(cells(), min_size=1, max_size=5))
def test_everything_labelled_is_exact(rows: list[tuple[int, bool, int, int, int, int]]) -> None:
    """No pair left, no width: both ends are the measure, or 0 and 1 where it is undefined."""
    complete = [(size, predicted, size, min(matches, size)) for size, predicted, _, matches, _, _ in rows]
    known = labelled(*complete)
    found = sum(matches for _, predicted, _, matches in complete if predicted)
    counts = (found, sum(row[0] for row in complete if row[1]), sum(row[3] for row in complete))
    low, high = ends(known, belief([0.0] * len(rows), 1.0))
    for row, alpha in enumerate(TARGETS):
        value = f_measure(Totals(*(np.array([float(count)]) for count in counts)), alpha)[0]
        expected = (0.0, 1.0) if np.isnan(value) else (value, value)
        assert (low[row], high[row]) == pytest.approx(expected)


def test_without_a_predicted_pair_precision_could_be_anything() -> None:
    """F and recall are 0 as soon as anything matches; precision is undefined, its median NaN."""
    known, posterior = labelled((1000, False, 10, 1)), belief([-3.0], 1.0)
    assert [list(end) for end in ends(known, posterior)] == [[0, 0, 0], [0, 1, 0]]
    assert np.isnan(envelope.medians(known, posterior, TARGETS)[0][1])


def test_where_no_match_is_found_or_believed_recall_could_be_anything() -> None:
    """No match among labels and none imagined: precision and F are 0, recall is undefined."""
    known, posterior = labelled((50, False, 50, 0), (5, True, 5, 0)), belief([-3.0, 0.0], 1.0)
    assert [list(end) for end in ends(known, posterior)] == [[0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("predicted", [True, False])
def test_one_pair_without_a_label_says_nothing(predicted: bool) -> None:
    """A pool of one pair that may match: precision from 0 to 1 if it is predicted or not."""
    low, high = ends(labelled((1, predicted, 0, 0)), belief([0.0], 1.0))
    assert (low[1], high[1]) == (0, 1)


@given(st.floats(-12, 8), st.integers(0, 20))
def test_a_cell_used_up_counts_what_was_seen(mean: float, matches: int) -> None:
    """What was believed of its rate does not matter any more."""
    known = labelled((20, True, 20, matches), (300, False, 100, 3))
    one, other = ends(known, belief([mean, -3.0], 1.0)), ends(known, belief([0.0, -3.0], 1.0))
    np.testing.assert_allclose(one[1][1], matches / 20)
    np.testing.assert_allclose(one, other)


@given(st.integers(1, 2000), st.integers(0, 2000), LEVELS)
def test_no_end_is_surer_than_a_row_of_right_predictions(labels: int, left: int, level: float) -> None:
    """However sure the belief, precision may be as low as leaves a row of right ones the chance of the tail."""
    known, tail = labelled((labels + left, True, labels, labels), (100, False, 0, 0)), (1 - level) / 2
    low, high = ends(known, belief([40.0, -40.0], 0.0), level)
    wrong = round((1 - low[1]) * (labels + left))
    assert high[1] == pytest.approx(1)
    assert wrong == left or wrong >= left * (1 - tail ** (1 / labels)) - 1e-9
    assert wrong == 0 or (1 - (wrong - 1) / left) ** labels >= tail * (1 - 1e-9), "no wider than needed"
    assert low[0] <= 1 - wrong / (labels + left) / 2


def test_rows_without_an_error_allow_for_unseen_ones() -> None:
    """Predicted cells whose labels are all right, or all wrong, could hold others; their rows add up."""
    cells = (
        (100, True, 30, 30),
        (60, True, 20, 20),
        (40, True, 10, 9),
        (80, True, 25, 0),
        (500, False, 300, 0),
    )
    known, smooth = labelled(*cells), np.full((1, 4, 5), 7.0)
    right = imagined.unbroken(known, smooth, 0.025, is_right=True)
    # So many wrong among the 110 others that fifty right in a row have a chance of 2.5 %: 8 whole ones.
    kept = 1 - 8 / 110
    assert right[0, 2].tolist() == pytest.approx([70 * kept, 40 * kept, 7, 7, 7])
    wrong = imagined.unbroken(known, smooth, 0.025, is_right=False)
    assert wrong[0, 2].tolist() == pytest.approx([7, 7, 7, 8, 7])
    nothing = labelled((100, True, 0, 0))
    assert (imagined.unbroken(nothing, smooth[..., :1], 0.025, is_right=True) == 7).all()


def test_a_large_cell_with_a_short_row_is_not_sure() -> None:
    """Five right labels of a cell leave its 253 other pairs open, though another cell's error was seen."""
    known, posterior = labelled((258, True, 5, 5), (120, True, 120, 119)), belief([8.0, 4.0], 0.3)
    low, _ = ends(known, posterior)
    assert low[1] < 1 - 0.4 * 253 / 378


def test_an_envelope_holds_each_cell_by_itself() -> None:
    """A belief that is sure and wrong does not outweigh a hundred labels of the cell."""
    # Beliefs of 0.018 and 0.982 of the 9,900 left make 0.023 and 0.977 of all with the 50 seen.
    for log_odds, believed in [(-4.0, 0.023), (4.0, 0.977)]:
        low, high = ends(labelled((10_000, True, 100, 50)), belief([log_odds], 0.01))
        assert low[1] < min(believed + 0.01, 0.5)
        assert high[1] > max(believed - 0.01, 0.5)


def test_pairs_assumed_to_match_count_as_matches() -> None:
    """All labelled or lost: 6 of 10 predicted pairs match, and 3 of the others."""
    known = labelled((10, True, 8, 5), (50, False, 45, 1))
    known = known._replace(lost=np.array([[2, 5]]), assumed=np.array([[1, 2]]))
    for end in ends(known, belief([0.0, 0.0], 1.0)):
        np.testing.assert_allclose(end, [6 / 9.5, 6 / 10, 6 / 9])
    assert known.is_unseen.tolist() == [[False, False]]
    assert known._replace(matches=np.zeros_like(known.matches)).is_unseen.tolist() == [[False, True]]


def test_imagined_matches_follow_the_belief() -> None:
    """Their mean is that of the match rates; rates believed to move together do."""
    known = labelled((1000, False, 100, 5), (500, True, 20, 10), (50, True, 50, 50))
    posterior = belief([-2.0, 0.5, 0.0], 0.05, common=0.7)
    drawn = imagined.together(known, posterior)[0]
    expected = known.left[0] * posterior.match_rate[0]
    np.testing.assert_allclose(drawn.mean(axis=0), expected, rtol=0.02)
    assert np.corrcoef(drawn[:, :2].T)[0, 1] > 0.8, "all but the noise of counts"
    alone = imagined.together(known, belief([-2.0, 0.5, 0.0], 0.7))[0]
    assert abs(np.corrcoef(alone[:, :2].T)[0, 1]) < 0.2


@pytest.mark.parametrize(
    ("labels", "matches"),
    [
        (200, 60),
        (3, 1),
        (0, 0),
    ],
)
def test_matches_of_a_cell_by_itself_are_beta_binomial(labels: int, matches: int) -> None:
    """Labels and matches, and the believed rate as two labels: quantiles stand for their chances."""
    known, posterior = labelled(*[(labels + 1000, False, labels, matches)] * 20), belief([0.0] * 20, 0.3)
    drawn, tails = imagined.apart(known, posterior)[0], np.array([0.025, 0.1, 0.5, 0.9, 0.975])
    model = betabinom(1000, matches + 1, labels - matches + 1)
    np.testing.assert_allclose(model.cdf(np.quantile(drawn, tails)), tails, atol=0.03)


def test_scattered_matches_are_a_share_of_all_and_labels_speak_against_them() -> None:
    """Exponential: a mean rate of 1 / (N / (share of matches) + labels without one), upper end 3.7 times it."""
    for labels in (0, 40_000):
        known = labelled((1_000_000, False, labels, 0), (2000, True, 2000, 2000))
        drawn = imagined.scattered(known, belief([-40.0, 0.0], 0.0))[0]
        mean = (1_000_000 - labels) / (1_002_000 / (imagined.SCATTER * 2000) + labels)
        assert drawn.mean() == pytest.approx(mean, rel=0.05)
        # A tenth for the count of matches itself, which is random too.
        assert np.quantile(drawn, 0.975) == pytest.approx(-math.log(0.025) * mean, rel=0.1)
        # Nothing else is believed to be missed, and half of a tail is cut off at either end.
        missed = np.quantile(drawn, 0.975)
        assert ends(known, belief([-40.0, 0.0], 0.0))[0][2] == pytest.approx(2000 / (2000 + missed), rel=0.01)
    seen = known._replace(matches=known.matches + 1)
    assert np.all(imagined.scattered(seen, belief([-40.0, 0.0], 0.0)) == 0), "a match was seen in every cell"


def test_certification_is_the_rule_of_three() -> None:
    """To show that at most 300 more of 100,000 match takes 3 x 100,000 / 300 labels without one, all but."""
    known = labelled((100_000, False, 0, 0), (10, True, 10, 9))
    matches = np.linspace(0, 600, 601)[None]
    drawn = Totals(matches, matches, matches)
    allowed = 0.475 * 600
    needed = envelope._certification(known, drawn, 0.95)
    assert needed == math.ceil(math.log(20) * 100_000 / allowed)
    assert (1 - allowed / 100_000) ** needed <= 0.05
    assert envelope._certification(known, Totals(matches, matches, 0 * matches), 0.95) == 100_000, "at most all"


def test_all_width_from_cells_without_a_match_is_assumption() -> None:
    """Predicted pairs all labelled, and no match seen below: the whole interval of recall is assumed."""
    known, posterior = labelled((10_000, False, 50, 0), (20, True, 20, 18)), belief([-7.0, 0.0], 1.0)
    assert envelope.envelope(known, posterior, (0.0,), 0.95).assumption_share == pytest.approx(1)


def test_where_nothing_is_left_nothing_is_assumed() -> None:
    """Everything labelled: an interval without width rests on no assumption."""
    known = labelled((30, False, 30, 0), (20, True, 20, 18))
    assert envelope.envelope(known, belief([0.0, 0.0], 1.0), (0.5,), 0.95).assumption_share == 0


def test_where_every_cell_has_a_match_nothing_is_assumed() -> None:
    """The width comes from cells in which matches were seen."""
    known, posterior = labelled((800, False, 200, 10), (100, True, 10, 9)), belief([-3.0, 4.0], 0.1)
    assert not known.is_unseen.any()
    assert envelope.envelope(known, posterior, (0.5,), 0.95).assumption_share == pytest.approx(0, abs=1e-6)


def test_a_run_has_the_same_envelope_in_any_company() -> None:
    """Forty runs, more than fit a block: each has what it has alone."""
    runs, random = 40, np.random.Generator(np.random.Philox(key=3))
    labels = (random.random((runs, 3)) * [400, 60, 20]).astype(np.int64)
    matches = (random.random((runs, 3)) * [0.02, 0.5, 1.0] * labels).astype(np.int64)
    size, is_predicted, none = np.array([900, 70, 20]), np.array([False, False, True]), np.zeros_like(labels)
    known = Labelled(size, is_predicted, labels, matches, none, none)
    posterior = belief([-4.0, -1.0, 2.0], 0.5, common=0.5, runs=runs)
    found, value = (
        envelope.envelope(known, posterior, TARGETS, 0.9),
        envelope.medians(known, posterior, TARGETS),
    )
    for run in range(0, runs, 3):
        rows = slice(run, run + 1)
        alone = Labelled(size, is_predicted, *(part[rows] for part in known[2:]))
        belief_ = Posterior(*(part[rows] for part in posterior))
        one = envelope.envelope(alone, belief_, TARGETS, 0.9)
        assert np.array_equal(one.interval.low[:, 0], found.interval.low[:, run])
        assert np.array_equal(one.interval.high[:, 0], found.interval.high[:, run])
        assert one.assumption_share[0] == found.assumption_share[run]
        assert one.certification[0] == found.certification[run]
        median, totals = envelope.medians(alone, belief_, TARGETS)
        assert np.array_equal(median[:, 0], value[0][:, run])
        assert [count[0] for count in totals] == [count[run] for count in value[1]]
