"""The live page: plain ES modules, SVG and CSS, served as they lie here; all it knows comes from the control API."""
