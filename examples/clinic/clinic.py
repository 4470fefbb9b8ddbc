"""Patients in a clinic: a network of two M/M/c queues, registration and treatment. JSON in, JSON out.

It knows nothing of mesonet: `clinic.toml` beside it is all that makes it an experiment. By hand::

    echo '{"parameters": {"arrivals": 0.8, "policy": "fifo"}, "seed": 1}' | python3 clinic.py
"""

import heapq
import json
import random
import sys
from statistics import fmean

DEFAULTS = {
    "arrivals": 0.5,  # patients per minute
    "clerks": 2,  # at registration
    "doctors": 6,  # at treatment
    "registration": 3.0,  # mean time of a registration, min
    "treatment": 9.0,  # mean time of a treatment, min
    "returning": 0.1,  # share of the patients that are treated once more
    "patients": 5000,
    "policy": "fifo",  # who is next: fifo, lifo, or sjf, the patient with the shortest task
}


class Queue:
    """One queue before `servers` servers; `wait` collects how long each patient stood in it."""

    def __init__(self, servers, order):
        self.free, self.order = servers, order
        self.waiting, self.wait, self.busy, self._number = [], [], 0.0, 0

    def arrive(self, now, patient, task):
        """The patient joins; the order is by a number that is smallest for who is next."""
        self._number += 1
        rank = {"fifo": self._number, "lifo": -self._number, "sjf": task}[self.order]
        heapq.heappush(self.waiting, (rank, self._number, now, patient, task))

    def start(self, now):
        """The next patient whose task begins now, and the task; None while all servers are busy or no patient waits."""
        if not self.free or not self.waiting:
            return None
        self.free -= 1
        _, _, since, patient, task = heapq.heappop(self.waiting)
        self.wait.append(now - since)
        self.busy += task
        return patient, task


def simulate(parameters, seed):
    """Times in min of all patients of one day without end; answers by name."""
    p = {**DEFAULTS, **parameters}
    draw = random.Random(seed)
    queues = [Queue(int(p["clerks"]), p["policy"]), Queue(int(p["doctors"]), p["policy"])]
    means = (p["registration"], p["treatment"])
    arrived, stays, now = {}, [], 0.0
    events = []  # (time, patient, which queue it leaves; None where it comes from outside)
    for patient in range(int(p["patients"])):
        now += draw.expovariate(p["arrivals"])
        arrived[patient] = now
        events.append((now, patient, -1))
    while events:
        now, patient, left = heapq.heappop(events)
        if left >= 0:
            queues[left].free += 1
        again = left == 1 and draw.random() < p["returning"]
        if left == 1 and not again:
            stays.append(now - arrived[patient])
        else:
            place = 0 if left < 0 else 1
            queues[place].arrive(now, patient, draw.expovariate(1 / means[place]))
        for place, queue in enumerate(queues):
            while begun := queue.start(now):
                heapq.heappush(events, (now + begun[1], begun[0], place))
    stays.sort()
    return {
        "registration_wait": fmean(queues[0].wait),
        "treatment_wait": fmean(queues[1].wait),
        "stay": fmean(stays),
        "stay_p95": stays[int(0.95 * len(stays))],
        "clerks_busy": queues[0].busy / (now * int(p["clerks"])),
        "doctors_busy": queues[1].busy / (now * int(p["doctors"])),
    }


if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(json.dumps(simulate(given["parameters"], given["seed"])))
