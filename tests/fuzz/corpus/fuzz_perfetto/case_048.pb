
P@ZH garbage
P¢‚Gzv²BºÜ32mW y
P@ZH garbage
P@ZH