# Runs a workload in ns-2: ns workload.tcl WORKLOAD.TXT
# Senders are Sack1 with a receiver window that never limits; hosts of 10 flows or fewer in all have links of their own.

set file [open [lindex $argv 0]]
set ns [new Simulator]
$ns use-scheduler Heap
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 1000000
Agent/TCP set maxcwnd_ 1000000
Agent/TCP set windowInit_ 10
Agent/TCP set minrto_ 1
Queue set limit_ 1000000
remove-all-packet-headers
add-packet-header IP TCP Flags

proc router {name} {
    global ns routers
    if {![info exists routers($name)]} { set routers($name) [$ns node] }
    return $routers($name)
}

# A host per router and place: flows take them in turn, so that thousands of flows share so many hosts.
proc host {name rate place} {
    global ns hosts
    set key "$name $place"
    if {![info exists hosts($key)]} {
        set hosts($key) [$ns node]
        $ns duplex-link $hosts($key) [router $name] $rate 0 DropTail
        $ns queue-limit $hosts($key) [router $name] 1000000
        $ns queue-limit [router $name] $hosts($key) 1000000
    }
    return $hosts($key)
}

set number 0
set sinks {}
set duration 0
foreach line [split [read $file] "\n"] {
    set word [split $line]
    switch [lindex $word 0] {
        duration { set duration [lindex $word 1] }
        link {
            lassign $word - a b rate delay queue
            $ns duplex-link [router $a] [router $b] $rate $delay DropTail
            $ns queue-limit [router $a] [router $b] $queue
            $ns queue-limit [router $b] [router $a] $queue
        }
        flow {
            lassign $word - a b start size rate
            set place [expr {$number % 25}]
            if {$size == 0} { set place $number }
            set source [new Agent/TCP/Sack1]
            set sink [new Agent/TCPSink/Sack1]
            $ns attach-agent [host $a $rate "out $place"] $source
            $ns attach-agent [host $b $rate "in $place"] $sink
            $ns connect $source $sink
            set transfer [new Application/FTP]
            $transfer attach-agent $source
            if {$size == 0} {
                $ns at $start "$transfer start"
            } else {
                $ns at $start "$transfer produce $size"
            }
            lappend sources $source
            incr number
        }
    }
}

$ns at $duration {
    set delivered 0
    foreach source $sources {
        set acknowledged [$source set ack_]
        incr delivered [expr {$acknowledged + 1}]
    }
    puts "delivered $delivered"
    exit 0
}
$ns run
