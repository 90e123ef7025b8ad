"""Large-sample variance of kappa at a trial value, with the margins held as observed."""

from labeling.domain.agreement.tables import Margins


def chance_disagreement(margins: Margins) -> float:
    """D = p_h(1 − p_j) + p_j(1 − p_h): the share of rows on which chance alone would disagree."""
    human, judge = margins
    return human * (1 - judge) + judge * (1 - human)


def kappa_variance(margins: Margins, trial: float) -> float:
    """n times the variance of kappa if the true kappa were `trial` (Lee & Tu 1994, Stat. Med. 13:2275).

    At the observed kappa this is the variance of Fleiss, Cohen & Everitt 1969. It can be negative where these
    margins do not allow the trial kappa. Margins where chance never disagrees (D = 0) divide by zero.
    """
    human, judge = margins
    chance, miss = chance_disagreement(margins), 1 - trial
    p10 = human * (1 - judge) - trial * chance / 2
    p01 = judge * (1 - human) - trial * chance / 2
    p11, p00 = human - p10, 1 - human - p01
    # The paper's "mean of squares minus square of the mean", written as squares of deviations from that mean:
    # the same number, but nothing cancels when one class is rare or kappa is near 1.
    agreeing = p11 * (2 * miss * (1 - human) * (1 - judge)) ** 2 + p00 * (2 * miss * human * judge) ** 2
    lenient = p01 * (1 - miss * (1 - 2 * human * (1 - judge))) ** 2
    strict = p10 * (1 - miss * (1 - 2 * judge * (1 - human))) ** 2
    return (agreeing + lenient + strict) / chance**2
