#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# OpenCV's Python functions that set its log level moved between 4.12 and 4.13.
#
#   opencv-python-headless 4.12.0.88   cv2.setLogLevel and cv2.getLogLevel; no cv2.utils.logging
#   opencv-python-headless 4.13.0.90   cv2.utils.logging.setLogLevel and getLogLevel; neither in cv2
#
# So code written for one raises AttributeError with the other, and a range over both needs two branches.
# The C++ functions (cv::utils::logging) are the same in both. Seen with Python 3.11 on Linux, 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

has() {
    python3 -m pip --quiet --disable-pip-version-check install --target "$folder/$1" "opencv-python-headless==$1"
    PYTHONPATH="$folder/$1" python3 -c "
import cv2
print(cv2.__version__, hasattr(cv2, 'setLogLevel'), hasattr(cv2.utils, 'logging'))"
}

seen=$(has 4.12.0.88; has 4.13.0.90)
echo "$seen"
test "$seen" = "4.12.0 True False
4.13.0 False True"
