"""What is kept, and the one way in which it is written."""
