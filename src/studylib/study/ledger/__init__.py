"""What sources say, and what a study is: claims, rules in words, notebooks, files."""
