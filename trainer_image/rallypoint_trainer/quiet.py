"""Keeps what frightens but means nothing out of the log: progress bars, advice, notes on new heads.

Refuses to hide errors.
"""

from __future__ import annotations

import os
import warnings
from logging import CRITICAL, ERROR

ENVIRONMENT = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",  # the loader forks after the tokenizer was used
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


def quiet_environment() -> None:
    """Sets what the libraries read when they are imported; what the user has set stays."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def quiet_libraries() -> None:
    """Errors only from the libraries, no bars; the events say what there is to say."""
    import datasets
    from huggingface_hub.utils import logging as hub_logging
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    hub_logging.set_verbosity(ERROR)  # each of its retries is a warning; that all failed is ours to say
    # it logs errors that it raises as well; those we put into words
    datasets.utils.logging.set_verbosity(CRITICAL)
    datasets.disable_progress_bars()
    # raised by libraries about their own use of one another
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=UserWarning, module=r"torch|transformers|accelerate|datasets")
