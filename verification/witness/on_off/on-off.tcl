# One run of on-off flows through a drop-tail bottleneck in ns-2: see README.md beside it.
#
# Arguments: key=value. mbps, rttMs and limit of the bottleneck (packets that wait); starts, start of each flow, s,
# separated by commas; pps, onS, offS and law (constant or exponential) of the flows; udp, 1 for UDP; warmup, seconds; seed;
# any other key is a variable of Agent/TCP.
#
# Output: lines of a name and a number, for the span after the warm-up.

remove-all-packet-headers
add-packet-header Flags IP TCP RTP

array set run {udp 0 seed 1}
foreach argument $argv {
    set place [string first = $argument]
    set key [string range $argument 0 [expr $place - 1]]
    set value [string range $argument [expr $place + 1] end]
    if {[string index $key end] == "_"} { Agent/TCP set $key $value } else { set run($key) $value }
}
ns-random $run(seed)

set packet 1500.0
set headers 40
set lookS .01
set ns [new Simulator]
set near [$ns node]
set far [$ns node]
$ns duplex-link $near $far $run(mbps)Mb [expr $run(rttMs) / 2.0]ms DropTail
# A packet is in service; drop-tail of ns-2 drops if the waiting ones and the new one reach the limit.
$ns queue-limit $near $far [expr $run(limit) + 1]
$ns queue-limit $far $near 1000000

set agents {}
set sinks {}
set applications {}
foreach start [split $run(starts) ,] {
    set source [$ns node]
    $ns duplex-link $source $near 1000Mb 0ms DropTail
    $ns queue-limit $source $near 1000000
    if {$run(udp)} {
        set agent [new Agent/UDP]
        $agent set packetSize_ $packet
        set sink [new Agent/LossMonitor]
        set payload [expr int($packet)]
    } else {
        set agent [new Agent/TCP/Sack1]
        set sink [new Agent/TCPSink/Sack1]
        set payload [expr int($packet - $headers)]
        $agent set packetSize_ $payload
    }
    $ns attach-agent $source $agent
    $ns attach-agent $far $sink
    $ns connect $agent $sink
    if {$run(law) == "constant"} {
        set application [new Application/Traffic/CBR]
    } else {
        set application [new Application/Traffic/Exponential]
        $application set burst_time_ $run(onS)
        $application set idle_time_ $run(offS)
        $ns at $start "$application start"
    }
    $application set packetSize_ $payload
    $application set rate_ [expr 8.0 * $payload * $run(pps)]
    $application attach-agent $agent
    lappend agents $agent
    lappend sinks $sink
    lappend applications $application
}

# Equal bursts: the last packet is an interval before the end.
proc burst {number} {
    global ns run applications agents lookS
    set now [$ns now]
    set application [lindex $applications $number]
    $application start
    $ns at [expr $now + $run(onS) - .5 / $run(pps)] "$application stop"
    if {$run(offS) > 0} { $ns at [expr $now + $run(onS) + $run(offS)] "burst $number" }
    if {!$run(udp)} { $ns at [expr $now + $lookS] "look $number" }
}

set windows {}
proc look {number} {
    global ns run agents windows
    if {[$ns now] >= $run(warmup)} { lappend windows [[lindex $agents $number] set cwnd_] }
}

if {$run(law) == "constant"} {
    set number 0
    foreach start [split $run(starts) ,] {
        $ns at $start "burst $number"
        incr number
    }
}

set queue [$ns monitor-queue $near $far ""]
set packets [new Integrator]
$queue set-pkts-integrator $packets

# Packets that left the queue and dropped ones, packet seconds of the queue; of the flows: packets handed over, received
# ones, timeouts, reductions with timeouts and without idle times.
proc counted {} {
    global queue packets ns agents sinks run
    set waited [expr [$packets set sum_] + ([$ns now] - [$packets set lastx_]) * [$packets set lasty_]]
    set received 0
    set timeouts 0
    set cuts 0
    foreach agent $agents sink $sinks {
        if {$run(udp)} {
            set received [expr $received + [$sink set npkts_]]
        } else {
            set received [expr $received + [$agent set ack_] + 1]
            set timeouts [expr $timeouts + [$agent set nrexmit_]]
            set cuts [expr $cuts + [$agent set ncwndcuts1_]]
        }
    }
    return [list [$queue set pdepartures_] [$queue set pdrops_] $waited $received $timeouts $cuts]
}

set samples {}
proc sample {} {
    global ns queue samples
    set waiting [$queue set pkts_]
    lappend samples [expr $waiting + ($waiting > 0)]
    $ns at [expr [$ns now] + .01] sample
}

proc finish {} {
    global begin run samples windows packet
    set span [expr double($run(seconds) - $run(warmup))]
    foreach name {sent drops waited received timeouts cuts} before $begin after [counted] {
        set found($name) [expr $after - $before]
    }
    set sorted [lsort -real $samples]
    set busy [expr $found(sent) * 8 * $packet / ($run(mbps) * 1e6 * $span)]
    puts "received $found(received)\nsent $found(sent)\ndrops $found(drops)\ntimeouts $found(timeouts)"
    puts "reductions [expr $found(cuts) - $found(timeouts)]"
    puts "queue_mean [expr $found(waited) / $span + $busy]"
    puts "queue_p95 [lindex $sorted [expr int(.95 * [llength $sorted])]]"
    set sum 0
    foreach window $windows { set sum [expr $sum + $window] }
    puts "bursts [llength $windows]\nwindow [expr [llength $windows] ? double($sum) / [llength $windows] : 0]"
    exit 0
}

$ns at $run(warmup) "set begin \[counted\]"
$ns at [expr $run(warmup) + 1e-9] sample
$ns at $run(seconds) finish
$ns run
