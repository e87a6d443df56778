"""Judge what a trial did to the files of its workspace."""
