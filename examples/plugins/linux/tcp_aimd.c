// SPDX-License-Identifier: Apache-2.0
/*
 * AIMD as a module of Linux: additive increase, multiplicative decrease, with two parameters. With their defaults it is
 * Reno. Written for mesonet as an example of the form; a kernel builds it as well.
 *
 *	mesonet run dumbbell --preset linux --algorithm linux:tcp_aimd.c
 */
#include <linux/module.h>
#include <linux/math64.h>
#include <net/tcp.h>

static unsigned int increase __read_mostly = 1;
module_param(increase, uint, 0644);
MODULE_PARM_DESC(increase, "segments that the window grows by in each round trip");

static unsigned int keep __read_mostly = 512;
module_param(keep, uint, 0644);
MODULE_PARM_DESC(keep, "part of the window that is left after a loss, of 1024");

/* Derived from the parameters when the module starts. */
static u32 least_ssthresh;

struct aimd {
	u32 losses;
};

static void aimd_init(struct sock *sk)
{
	struct aimd *ca = inet_csk_ca(sk);

	ca->losses = 0;
}

static u32 aimd_ssthresh(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct aimd *ca = inet_csk_ca(sk);

	ca->losses++;
	return max(tcp_snd_cwnd(tp) * keep >> 10U, least_ssthresh);
}

static void aimd_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, max(tcp_snd_cwnd(tp) / increase, 1U), acked);
}

static struct tcp_congestion_ops aimd __read_mostly = {
	.init		= aimd_init,
	.ssthresh	= aimd_ssthresh,
	.cong_avoid	= aimd_cong_avoid,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.owner		= THIS_MODULE,
	.name		= "aimd",
};

static int __init aimd_register(void)
{
	BUILD_BUG_ON(sizeof(struct aimd) > ICSK_CA_PRIV_SIZE);
	if (increase < 1 || keep > 1024)
		return -ERANGE;
	least_ssthresh = 2;
	return tcp_register_congestion_control(&aimd);
}

static void __exit aimd_unregister(void)
{
	tcp_unregister_congestion_control(&aimd);
}

module_init(aimd_register);
module_exit(aimd_unregister);

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("AIMD");
