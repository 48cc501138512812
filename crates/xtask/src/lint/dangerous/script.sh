cd $1
rm -rf $2/*
