# One run of many connections over one line in ns-2, with the timers of ns before 2001: see README.md beside it.
#
# Arguments: key=value. speed bit/s and delay s of the line; limit packets of its queue; warmup, end s; samples of
# the queue between them; seed; groups, one of count:interface:extra_delay:overhead for each, separated by commas;
# traced, how many connections have their windows sampled, too; any other key is a variable of Agent/TCP.
#
# Output: one line "queue" with drops, arrivals, departures and packet seconds of the queue after the warm-up; one line
# "flow" for each connection with packets sent, acknowledged in order, timeouts, reductions of the window and packets
# dropped by the queue in the whole run; one line "sample" for each sample with the packets that wait and the windows of the
# traced connections.

remove-all-packet-headers
add-packet-header Flags IP TCP

array set run {traced 0 samples 5000 seed 12345}
foreach argument $argv {
    set place [string first = $argument]
    set key [string range $argument 0 [expr $place - 1]]
    set value [string range $argument [expr $place + 1] end]
    if {[string index $key end] == "_"} { Agent/TCP set $key $value } else { set run($key) $value }
}
ns-random $run(seed)

set ns [new Simulator]
$ns rtproto Manual
set near [$ns node]
set far [$ns node]
$ns duplex-link $near $far $run(speed) $run(delay) DropTail
$ns queue-limit $near $far $run(limit)
$ns queue-limit $far $near 1000000
[$near get-module Manual] add-route-to-adj-node -default $far
[$far get-module Manual] add-route-to-adj-node -default $near

set agents {}
foreach group [split $run(groups) ,] {
    foreach {count interface extra overhead} [split $group :] {}
    for {set k 0} {$k < $count} {incr k} {
        set source [$ns node]
        $ns simplex-link $source $near $interface $extra DropTail
        $ns simplex-link $near $source 10Mb $extra DropTail
        $ns queue-limit $source $near 1000000
        $ns queue-limit $near $source 1000000
        [$source get-module Manual] add-route-to-adj-node -default $near
        [$near get-module Manual] add-route-to-adj-node $source
        set agent [new Agent/TCP/Reno]
        $agent set overhead_ $overhead
        $agent set fid_ [llength $agents]
        set sink [new Agent/TCPSink]
        $ns attach-agent $source $agent
        $ns attach-agent $far $sink
        $ns connect $agent $sink
        set ftp [new Application/FTP]
        $ftp attach-agent $agent
        $ns at 0 "$ftp start"
        lappend agents $agent
    }
}

set queue [$ns monitor-queue $near $far ""]
set packets [new Integrator]
$queue set-pkts-integrator $packets
set monitor [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $near $far] $monitor
set counters {ndatapack_ ack_ nrexmit_ ncwndcuts_}
set totals {pdrops_ parrivals_ pdepartures_}

proc flows {} {
    global agents counters monitor
    foreach flow [$monitor flows] { set dropped([$flow set flowid_]) [$flow set pdrops_] }
    set flows {}
    foreach agent $agents {
        set flow {}
        foreach name $counters { lappend flow [$agent set $name] }
        set number [llength $flows]
        # ack_ is the last packet acknowledged, counted from 0.
        lset flow 1 [expr [lindex $flow 1] + 1]
        lappend flow [expr {[info exists dropped($number)] ? $dropped($number) : 0}]
        lappend flows $flow
    }
    return $flows
}

proc counted {} {
    global queue packets totals ns
    set line {}
    foreach name $totals { lappend line [$queue set $name] }
    # The integral up to now: its last point may be earlier.
    lappend line [expr [$packets set sum_] + ([$ns now] - [$packets set lastx_]) * [$packets set lasty_]]
    return $line
}

proc sample {every} {
    global ns queue agents run
    set line [list sample [$queue set pkts_]]
    for {set k 0} {$k < $run(traced)} {incr k} { lappend line [[lindex $agents $k] set cwnd_] }
    puts $line
    $ns at [expr [$ns now] + $every] "sample $every"
}

proc finish {} {
    global begin
    set line queue
    foreach before $begin after [counted] { lappend line [expr $after - $before] }
    puts $line
    foreach flow [flows] { puts "flow $flow" }
    exit 0
}

$ns at $run(warmup) "set begin \[counted\]"
$ns at [expr $run(warmup) + 1e-9] "sample [expr double($run(end) - $run(warmup)) / $run(samples)]"
$ns at $run(end) finish
$ns run
