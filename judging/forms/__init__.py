"""What people type into the judging pages, checked."""
