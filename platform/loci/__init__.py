"""The building: settings, addresses, servers, and the ground that every room stands on."""
