"""Slow tests run with --slow alone."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the slow tests, and only these")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes minutes")


def pytest_collection_modifyitems(config, items):
    slow = config.getoption("--slow")
    unwanted = [item for item in items if (item.get_closest_marker("slow") is not None) != slow]
    config.hook.pytest_deselected(items=unwanted)
    items[:] = [item for item in items if item not in unwanted]
