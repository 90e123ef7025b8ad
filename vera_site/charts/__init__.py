"""Charts as numbers: what a template needs to draw them, computed once, tested without a page.

Every position is a percentage of the plot, from its left or its top edge, so that a chart is as wide as
there is room for while its text keeps its size. Nothing here knows what is drawn.
"""

from vera_site.charts.axis import Axis, Tick, linear_axis
from vera_site.charts.bars import Segment, stacked
from vera_site.charts.steps import line_path, step_path
from vera_site.charts.times import order_axis, spread_out, time_axis

__all__ = [
    "Axis",
    "Segment",
    "Tick",
    "line_path",
    "linear_axis",
    "order_axis",
    "spread_out",
    "stacked",
    "step_path",
    "time_axis",
]
