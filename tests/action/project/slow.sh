i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done
