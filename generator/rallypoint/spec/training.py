"""The arguments of the pinned transformers.TrainingArguments."""

TRAINING_ARGS: dict[str, object] = {}
