# Modes are known before the run. A copy of a file is one.
handles.pbl --anywhere
