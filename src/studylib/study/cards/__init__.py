"""A claim and its verdict as a card of sentences, the same in a notebook and on its page."""
