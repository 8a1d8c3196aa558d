"""That one tenant, and one key, sees and changes nothing of another: by probes, by mutation, by direct SQL."""
