# Long flows in ns-2 whose acknowledgements return over a narrow line: see README.md beside it.
#
# Arguments: key=value. bps and backBps of the line in each direction, rttMs, limit of both queues (packets that wait); starts and
# extraMs of each flow, s and ms, separated by commas: when it starts, and how much longer its round trip is; agent, sender below
# Agent/TCP; delayed, s, for which sinks hold acknowledgements back, 0 for none; warmup,
# seconds; any other key is a variable of Agent/TCP.
#
# Output: lines of a name and a number, for the span after the warm-up.

remove-all-packet-headers
add-packet-header Flags IP TCP

array set run {}
foreach argument $argv {
    set place [string first = $argument]
    set key [string range $argument 0 [expr $place - 1]]
    set value [string range $argument [expr $place + 1] end]
    if {[string index $key end] == "_"} { Agent/TCP set $key $value } else { set run($key) $value }
}

set ns [new Simulator]
set near [$ns node]
set far [$ns node]
$ns simplex-link $near $far $run(bps) [expr $run(rttMs) / 2.0]ms DropTail
$ns simplex-link $far $near $run(backBps) [expr $run(rttMs) / 2.0]ms DropTail
# A packet is in service; drop-tail of ns-2 drops if the waiting ones and the new one reach the limit.
$ns queue-limit $near $far [expr $run(limit) + 1]
$ns queue-limit $far $near [expr $run(limit) + 1]

set agents {}
foreach start [split $run(starts) ,] extra [split $run(extraMs) ,] {
    set source [$ns node]
    $ns duplex-link $source $near 1000Mb [expr $extra / 2.0]ms DropTail
    $ns queue-limit $source $near 1000000
    $ns queue-limit $near $source 1000000
    set agent [new Agent/TCP/$run(agent)]
    set kind [expr {$run(agent) == "Sack1" ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]
    if {$run(delayed) > 0} {
        set sink [new $kind/DelAck]
        $sink set interval_ $run(delayed)
    } else {
        set sink [new $kind]
    }
    $ns attach-agent $source $agent
    $ns attach-agent $far $sink
    $ns connect $agent $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $agent
    $ns at $start "$ftp start"
    lappend agents $agent
}

set queues {}
foreach {from to} [list $near $far $far $near] {
    set queue [$ns monitor-queue $from $to ""]
    $queue set-pkts-integrator [new Integrator]
    lappend queues $queue
}

# For each queue packets that left it, dropped ones and packet seconds; of the flows packets acknowledged in order, timeouts,
# and reductions with timeouts.
proc counted {} {
    global queues ns agents
    set found {}
    foreach queue $queues {
        set packets [$queue get-pkts-integrator]
        set waited [expr [$packets set sum_] + ([$ns now] - [$packets set lastx_]) * [$packets set lasty_]]
        lappend found [$queue set pdepartures_] [$queue set pdrops_] $waited
    }
    set received 0
    set timeouts 0
    set cuts 0
    foreach agent $agents {
        set received [expr $received + [$agent set ack_] + 1]
        set timeouts [expr $timeouts + [$agent set nrexmit_]]
        set cuts [expr $cuts + [$agent set ncwndcuts_]]
    }
    return [concat $found [list $received $timeouts $cuts]]
}

proc finish {} {
    global begin run
    set span [expr double($run(seconds) - $run(warmup))]
    set names {sent drops waited acks acks_dropped acks_waited received timeouts cuts}
    foreach name $names before $begin after [counted] { set found($name) [expr $after - $before] }
    foreach name {sent drops acks acks_dropped received timeouts} { puts "$name $found($name)" }
    puts "reductions [expr $found(cuts) - $found(timeouts)]"
    puts "queue [expr $found(waited) / $span]"
    puts "acks_queue [expr $found(acks_waited) / $span]"
    exit 0
}

$ns at $run(warmup) "set begin \[counted\]"
$ns at $run(seconds) finish
$ns run
