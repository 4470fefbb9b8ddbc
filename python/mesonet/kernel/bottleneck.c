/* One exact drop-tail queue between two network namespaces, on a path that follows the time.
 *
 * Packets of the sender's TUN device wait in a FIFO, then travel for the propagation delay and enter the receiver's TUN
 * device. Packets of the receiver's device travel for the propagation delay of the way back only.
 *
 * The FIFO is arithmetic on instants, as in a simulator: a packet that arrives at t leaves at max(t, previous) + service.
 * Only the instant at which a packet is read and the instant at which it is written depend on the scheduler. Both are
 * measured as the lateness of writes; see the end of the log.
 *
 * PATH is a file with a line "NAME INSTANT VALUE" for each change, instants ascending, in ns since the first packet of
 * the sender. A value holds from its instant to the next one:
 *   service  time that a packet takes, ns; the rest of a packet in service takes the new rate
 *   places   of waiting packets, without the one in service
 *   forth    delay from the queue to the receiver, ns; packets keep their order
 *   back     delay of acknowledgements, ns
 *   loss     probability that a packet is lost behind the queue
 *   outage   1: all packets that leave the queue are lost, acknowledgements pass; 0: none is
 *
 * Usage: bottleneck SENDER_NS RECEIVER_NS PATH SEED PRIORITY LOG
 * Prints "ready" once both devices exist; ends when its standard input closes, and then writes the log.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { RING = 1 << 14, LARGEST_PACKET = 1600, MOST_RECORDS = 1 << 21 };
enum { ACCEPTED = 0, TAIL_DROP = 1, RANDOM_LOSS = 2, ACK = 3, UNQUEUED = 4, OUTAGE_LOSS = 5 };
enum { FLAG_FIN = 1, FLAG_SYN = 2, FLAG_DSACK = 256 };

/* A row of the log: 40 bytes, read by packets.py. */
struct record {
    int64_t read_ns;    /* instant at which the packet was read from its device */
    int64_t leaves_ns;  /* end of its service; 0 if it has none */
    uint32_t sequence;  /* of data; the acknowledged number of an acknowledgement */
    uint32_t bytes;     /* payload */
    uint32_t queue;     /* packets found in the queue, the one in service included */
    uint32_t late_ns;   /* by how much it was written too late */
    uint16_t port;      /* of the sender */
    uint16_t kind;
    uint16_t flags;
    uint16_t unused;
};

struct packet {
    int64_t leaves, due;
    struct record *record;
    int length;
    unsigned char data[LARGEST_PACKET];
};

struct ring {
    struct packet *packets;
    uint64_t head, tail; /* oldest, one past the newest */
};

static struct record *records;
static uint64_t record_count;

static int sender, receiver, priority;

/* A value that follows the time; `place` is the step that held last. */
struct course {
    const char *name;
    struct { int64_t at; double value; } *steps;
    int count, place;
};

static struct course service = {"service"}, places = {"places"}, forth = {"forth"}, back = {"back"}, loss = {"loss"},
                     outage = {"outage"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ring data, acks, bare;
static uint64_t in_queue; /* oldest packet of `data` that has not left the queue */
static int64_t free_at;   /* end of the service of the last packet */

static int64_t last_due;  /* of a packet on the way to the receiver */
static int64_t began; /* instant at which the first packet of the sender was read */

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A TUN device "tun0" in a namespace; this process comes back to its own. */
static int open_tun(const char *namespace, int home) {
    char path[256];
    snprintf(path, sizeof path, "/var/run/netns/%s", namespace);
    int ns = open(path, O_RDONLY | O_CLOEXEC);
    if (ns < 0 || setns(ns, CLONE_NEWNET)) fail(path);
    close(ns);
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) fail("/dev/net/tun");
    struct ifreq request;
    memset(&request, 0, sizeof request);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    strcpy(request.ifr_name, "tun0");
    if (ioctl(fd, TUNSETIFF, &request)) fail("TUNSETIFF");
    if (setns(home, CLONE_NEWNET)) fail("setns");
    return fd;
}

static uint64_t random_state;

/* splitmix64 (Steele, Lea and Flood 2014). */
static double uniform(void) {
    uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Whether the first block of a SACK option reports data below the acknowledged number (RFC 2883). */
static int reports_duplicate(const unsigned char *options, int length, uint32_t acknowledged) {
    for (int i = 0; i + 1 < length && options[i] != 0;) {
        if (options[i] == 1) {
            i++;
            continue;
        }
        int size = options[i + 1];
        if (size < 2 || i + size > length) return 0;
        if (options[i] == 5 && size >= 10) {
            uint32_t left, second, right;
            memcpy(&left, options + i + 2, 4);
            left = ntohl(left);
            if ((int32_t)(left - acknowledged) < 0) return 1;
            if (size < 18) return 0;
            uint32_t first_right;
            memcpy(&first_right, options + i + 6, 4);
            memcpy(&second, options + i + 10, 4);
            memcpy(&right, options + i + 14, 4);
            return (int32_t)(left - ntohl(second)) >= 0 && (int32_t)(ntohl(right) - ntohl(first_right)) >= 0;
        }
        i += size;
    }
    return 0;
}

/* Fills a record from an IPv4 packet; returns whether it is TCP. */
static int describe(const unsigned char *data, int length, int from_sender, struct record *r) {
    memset(r, 0, sizeof *r);
    if (length < 40 || data[0] >> 4 != 4 || data[9] != 6) return 0;
    int ip = (data[0] & 15) * 4;
    const unsigned char *tcp = data + ip;
    int header = (tcp[12] >> 4) * 4;
    if (ip + header > length) return 0;
    uint16_t port;
    uint32_t number;
    memcpy(&port, tcp + (from_sender ? 0 : 2), 2);
    memcpy(&number, tcp + (from_sender ? 4 : 8), 4);
    r->port = ntohs(port);
    r->sequence = ntohl(number);
    r->bytes = (uint32_t)(length - ip - header);
    r->flags = tcp[13] & (FLAG_FIN | FLAG_SYN);
    if (!from_sender && reports_duplicate(tcp + 20, header - 20, r->sequence)) r->flags |= FLAG_DSACK;
    return 1;
}

/* Reads PATH; each course has a step at the beginning. */
static int read_path(const char *name) {
    struct course *all[] = {&service, &places, &forth, &back, &loss, &outage, NULL};
    FILE *file = fopen(name, "r");
    if (!file) fail(name);
    char word[16];
    long long at;
    double value;
    int fields;
    while ((fields = fscanf(file, "%15s %lld %lf", word, &at, &value)) == 3) {
        struct course **found = all;
        while (*found && strcmp((*found)->name, word)) found++;
        struct course *course = *found;
        if (!course) return 0;
        course->steps = realloc(course->steps, (size_t)(course->count + 1) * sizeof *course->steps);
        if (!course->steps) fail("memory");
        course->steps[course->count].at = at;
        course->steps[course->count++].value = value;
    }
    fclose(file);
    for (struct course **each = all; *each; each++)
        if (!(*each)->count) return 0;
    return fields == EOF;
}

static double value_at(struct course *course, int64_t instant) {
    while (course->place && began + course->steps[course->place].at > instant) course->place--;
    while (course->place + 1 < course->count && began + course->steps[course->place + 1].at <= instant) course->place++;
    return course->steps[course->place].value;
}

/* End of the service of a packet that begins at an instant. */
static int64_t end_of_service(int64_t from) {
    double left = 1; /* part of the packet that is not sent */
    for (;;) {
        double took = value_at(&service, from);
        int64_t end = from + (int64_t)(left * took + 0.5);
        if (service.place + 1 == service.count) return end;
        int64_t change = began + service.steps[service.place + 1].at;
        if (end <= change) return end;
        left -= (double)(change - from) / took;
        from = change;
    }
}

static struct record *next_record(void) {
    if (record_count == MOST_RECORDS) {
        fputs("bottleneck: the log is full\n", stderr);
        exit(1);
    }
    return &records[record_count++];
}

static struct packet *newest(struct ring *ring) {
    if (ring->tail - ring->head == RING) {
        fputs("bottleneck: more packets are under way than it can hold\n", stderr);
        exit(1);
    }
    return &ring->packets[ring->tail % RING];
}

/* Instant at which the oldest packet is to be written. */
static int64_t earliest(const struct ring *ring) {
    return ring->head == ring->tail ? INT64_MAX : ring->packets[ring->head % RING].due;
}

/* Writes what is due into a device. */
static void deliver(struct ring *ring, int fd, int64_t now) {
    while (ring->head != ring->tail) {
        struct packet *p = &ring->packets[ring->head % RING];
        if (p->due > now) return;
        if (p->record->kind == ACCEPTED || p->record->kind == ACK || p->record->kind == UNQUEUED) {
            ssize_t written = write(fd, p->data, (size_t)p->length);
            if (written != p->length) fail("write to tun0");
        }
        p->record->late_ns = (uint32_t)(now - p->due);
        ring->head++;
        now = now_ns();
    }
}

/* Deliver what is due, then take what the endpoints sent: all state is changed here, by one thread at a time. */
static void turn(void) {
    deliver(&bare, receiver, now_ns());
    deliver(&data, receiver, now_ns());
    deliver(&acks, sender, now_ns());

    /* What a write made an endpoint send is read at once, so that its instant is right. */
    for (;;) {
        struct packet *p = newest(&data);
        ssize_t length = read(sender, p->data, LARGEST_PACKET);
        if (length <= 0) break;
        struct record found;
        if (!describe(p->data, (int)length, 1, &found)) continue;
        struct record *r = next_record();
        *r = found;
        r->read_ns = now_ns();
        if (!began) began = r->read_ns;
        while (in_queue != data.tail && data.packets[in_queue % RING].leaves <= r->read_ns) in_queue++;
        r->queue = (uint32_t)(data.tail - in_queue);
        if (r->bytes == 0 && !(r->flags & FLAG_SYN)) {
            /* A bare acknowledgement of the sender (end of the handshake) has no counterpart in mesonet: it takes
             * neither a place nor service. */
            r->kind = UNQUEUED;
            struct packet *aside = newest(&bare);
            memcpy(aside->data, p->data, (size_t)length);
            aside->length = (int)length;
            aside->record = r;
            aside->due = r->read_ns + (int64_t)value_at(&forth, r->read_ns);
            bare.tail++;
            continue;
        }
        if (r->queue > value_at(&places, r->read_ns)) {
            r->kind = TAIL_DROP;
            continue;
        }
        free_at = end_of_service(free_at < r->read_ns ? r->read_ns : free_at);
        p->leaves = r->leaves_ns = free_at;
        r->kind = ACCEPTED;
        double probability = value_at(&loss, free_at);
        if (value_at(&outage, free_at)) r->kind = OUTAGE_LOSS;
        else if (probability > 0 && uniform() < probability) r->kind = RANDOM_LOSS;
        p->due = free_at + (int64_t)value_at(&forth, free_at);
        if (p->due < last_due) p->due = last_due;
        last_due = p->due;
        p->length = (int)length;
        p->record = r;
        data.tail++;
    }
    for (;;) {
        struct packet *p = newest(&acks);
        ssize_t length = read(receiver, p->data, LARGEST_PACKET);
        if (length <= 0) break;
        struct record found;
        if (!describe(p->data, (int)length, 0, &found)) continue;
        p->record = next_record();
        *p->record = found;
        p->record->read_ns = now_ns();
        p->record->kind = ACK;
        p->due = p->record->read_ns + (int64_t)value_at(&back, p->record->read_ns);
        p->length = (int)length;
        acks.tail++;
    }
}

/* Returns the time until the next delivery; none if nothing is under way. */
static const struct timespec *wait_until_due(struct timespec *wait) {
    int64_t due = earliest(&data);
    if (earliest(&acks) < due) due = earliest(&acks);
    if (earliest(&bare) < due) due = earliest(&bare);
    if (due == INT64_MAX) return NULL;
    int64_t left = due - now_ns();
    if (left < 0) left = 0;
    *wait = (struct timespec){left / 1000000000, left % 1000000000};
    return wait;
}

/* One thread on each of two processors, so that a pause of one of them (a hypervisor takes it away) delays nothing. */
static void *serve(void *processor) {
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET((int)(intptr_t)processor, &own);
    if (sched_setaffinity(0, sizeof own, &own)) fail("sched_setaffinity");
    struct sched_param fifo = {.sched_priority = priority};
    if (priority && sched_setscheduler(0, SCHED_FIFO, &fifo)) fail("SCHED_FIFO");
    struct pollfd fds[3] = {{sender, POLLIN, 0}, {receiver, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    for (;;) {
        struct timespec wait;
        pthread_mutex_lock(&lock);
        turn();
        const struct timespec *until = wait_until_due(&wait);
        pthread_mutex_unlock(&lock);
        if (ppoll(fds, 3, until, NULL) < 0 && errno != EINTR) fail("ppoll");
        if (fds[2].revents) return NULL;
    }
}

int main(int count, char **argument) {
    if (count != 7 || !read_path(argument[3])) {
        fputs("usage: bottleneck SENDER_NS RECEIVER_NS PATH SEED PRIORITY LOG\n", stderr);
        return 2;
    }
    random_state = strtoull(argument[4], NULL, 10);

    int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (home < 0) fail("/proc/self/ns/net");
    sender = open_tun(argument[1], home);
    receiver = open_tun(argument[2], home);
    priority = atoi(argument[5]);
    FILE *log = fopen(argument[6], "wb");
    if (!log) fail(argument[6]);
    records = calloc(MOST_RECORDS, sizeof *records);
    data.packets = calloc(RING, sizeof(struct packet));
    acks.packets = calloc(RING, sizeof(struct packet));
    bare.packets = calloc(RING, sizeof(struct packet));
    if (!records || !data.packets || !acks.packets || !bare.packets) fail("memory");
    if (mlockall(MCL_CURRENT)) fail("mlockall");
    intptr_t processors = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1;
    pthread_t threads[2];
    for (intptr_t i = 0; i < processors; i++)
        if ((errno = pthread_create(&threads[i], NULL, serve, (void *)i))) fail("pthread_create");
    puts("ready");
    fflush(stdout);
    for (intptr_t i = 0; i < processors; i++) pthread_join(threads[i], NULL);
    if (fwrite(records, sizeof *records, record_count, log) != record_count || fclose(log)) fail(argument[6]);
    return 0;
}
