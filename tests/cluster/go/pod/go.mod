module rallypoint.test/cluster/pod

go 1.26
