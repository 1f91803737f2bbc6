"""A stock Trainer on a handful of random sentences: what a user brings along as a `script`."""

import sys
import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Sentences(torch.utils.data.Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        torch.manual_seed(index)
        return {"input_ids": torch.randint(0, 50, (8,)), "labels": index % 2}


if __name__ == "__main__":
    options = {"use_cpu": True} if "--use-cpu" in sys.argv else {}
    if "--gloo" in sys.argv:
        options["ddp_backend"] = "gloo"
    arguments = TrainingArguments(
        tempfile.mkdtemp(),
        max_steps=3,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
        dataloader_num_workers=2 if "--workers" in sys.argv else 0,
        **options,
    )
    config = BertConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    Trainer(BertForSequenceClassification(config), arguments, train_dataset=Sentences()).train()
    print("trained", flush=True)
