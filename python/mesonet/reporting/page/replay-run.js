// One traced run: bytes of queue, drops, utilisation and marks by router and instant; of queues at ports also of the
// utilisation of links.

const QUEUE = 0, DROPS = 1, USE = 2, MARKS = 3, QUANTITIES = 4;

const scene = await unpack('replay-data');

class Run {
  constructor(about) {
    Object.assign(this, about, { bytes: null }); // title, times, frames, marked, speeds, buffers, rooms, rates, flows
  }

  // Undoes the differences; once, when the run is first shown.
  async load() {
    this.loading ??= unpackBytes(this.frames).then((bytes) => {
      const length = this.times.length;
      for (let start = 0; start < bytes.length; start += length) {
        for (let i = start + 1; i < start + length; i++) bytes[i] = (bytes[i] + bytes[i - 1]) & 255;
      }
      this.bytes = bytes;
    });
    return this.loading;
  }

  // Share from 0 to 1; queue, drops and marks are kept as their roots.
  share(quantity, router, frame) {
    const code = this.bytes[(quantity * scene.routers.length + router) * this.times.length + frame] / 255;
    return quantity === USE ? code : code * code;
  }

  // Utilisation of a link, or null where queues are not at ports.
  linkUse(link, frame) {
    const place = (QUANTITIES * scene.routers.length + link) * this.times.length + frame;
    return place < this.bytes.length ? this.bytes[place] / 255 : null;
  }

  // The last instant that is not after a time, in s.
  frameAt(time) {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The router with the largest share of a quantity, or null where all are 0.
  largest(quantity, frame) {
    let best = null;
    for (let router = 0; router < scene.routers.length; router++) {
      const share = this.share(quantity, router, frame);
      if (share > (best?.share ?? 0)) best = { router, share };
    }
    return best;
  }
}

const inPercent = (share) => `${share > 0 && share < 0.1 ? Number((100 * share).toPrecision(2)) : Math.round(100 * share)} %`;
