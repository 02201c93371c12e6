"""The page with charts: page.html with the figures and Chart.js in it."""
import json
import statistics
from pathlib import Path

import tables

PAGE = Path(__file__).resolve().parent / "page.html"


def spread(values):
    """What a chart needs of a metric."""
    return {"median": statistics.median(values), "least": min(values),
            "greatest": max(values)}


def data(figures):
    programs = [{"name": name, "kind": program["kind"],
                 "peers": {peer: {metric: spread(values) for metric, values in samples.items()}
                           for peer, samples in program["peers"].items()}}
                for name, program in figures["programs"].items()
                if program["kind"] not in ("vm", "walk")]
    return {"programs": programs, "metrics": tables.METRICS,
            "conditions": [line for line in tables.conditions(figures) if line]}


def write(figures, chart_js, path):
    text = json.dumps(data(figures)).replace("</", "<\\/")
    page = PAGE.read_text().replace("@CHART@", chart_js.read_text()).replace("@DATA@", text)
    path.write_text(page)
