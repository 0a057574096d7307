"""The long-lived services that make instances move."""
