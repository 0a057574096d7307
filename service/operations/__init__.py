"""What any caller may ask of the service."""
