"""What is kept: the sealed folder of one run.

An archive holds only regular files with plain ASCII names: what had another name, a mode or a link's target is told
by a listing, and its bytes lie in a blob named by their digest. So zip, git and artifact stores can't damage it.
"""
