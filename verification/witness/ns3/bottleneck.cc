// One bottleneck in ns-3: flows through a queue disc, or a given load through a queue disc alone.
//
//   bottleneck tcp  --discipline=codel --mbps=10 --rttMs=20 --starts=0,0.3 --limit=10000 --device=0 --ecn=0 --seed=1
//   bottleneck load --discipline=codel --load=10:0.5,10:1.5,10:0.5 --flows=1 --limit=10000 --ecn=0 --seed=1
//
// Flows of the mode tcp have data without end. --pps=500 --onS=0.5 --offS=0.5 --law=exponential makes them on-off flows,
// and --udp=1 sends these by UDP.
//
// Attributes of ns-3 can be set, too: --ns3::PieQueueDisc::UseDequeueRateEstimator=true. Prints lines of a name and
// numbers. README.md describes the set-up.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include <algorithm>
#include <deque>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace {

constexpr uint32_t kPacket = 1500;   // with the headers of IP and TCP: the size that a queue disc sees
constexpr uint32_t kHeaders = 40;    // no options: selective acknowledgements travel the other way
constexpr uint32_t kUdpHeaders = 28;
constexpr uint32_t kFrame = 2;       // the header of PointToPointNetDevice
constexpr double kLoadMbps = 10;     // service of a packet in the mode load: 1.2 ms

struct Options {
  std::string discipline = "codel", starts = "0", load = "10:1.05", reduceFrom = "window", extraMs;
  double mbps = 10, rttMs = 20, seconds = 60, warmup = 20, binS = 2;
  double loss = 0, toBad = 0, toGood = 1;  // of the link behind the bottleneck; the bad state loses all
  double pps = 0, onS = 1, offS = 1;       // of on-off flows: packets per second while on, mean times on and off
  std::string law = "constant";            // of both times
  uint32_t udp = 0;
  uint32_t limit = 10000, device = 0, ecn = 0, seed = 1, flows = 1, quantum = 1514, growAfterMark = 0;
};

Options options;

bool Measured() { return Simulator::Now().GetSeconds() >= options.warmup; }

// The names of queue discs, and the attributes that make them what the specification and mesonet have.
std::string TypeOf(const std::string& discipline) {
  if (discipline == "drop_tail") return "ns3::FifoQueueDisc";
  if (discipline == "codel") return "ns3::CoDelQueueDisc";
  if (discipline == "fq_codel") return "ns3::FqCoDelQueueDisc";
  if (discipline == "pie") return "ns3::PieQueueDisc";
  if (discipline == "red") return "ns3::RedQueueDisc";
  std::cerr << "discipline: \"" << discipline << "\": allowed: drop_tail, codel, fq_codel, pie, red\n";
  std::exit(2);
}

void SetDefaults() {
  // RFC 8289, section 5: no drop while one packet or less waits. ns-3 compares with "less than".
  Config::SetDefault("ns3::CoDelQueueDisc::MinBytes", UintegerValue(kPacket + 1));
  // RFC 8290, section 4.1: one packet at a time; the default is that of Linux, 64.
  Config::SetDefault("ns3::FqCoDelQueueDisc::DropBatchSize", UintegerValue(1));
  // RFC 8033, section 4.4. The default is 15 ms.
  Config::SetDefault("ns3::PieQueueDisc::MaxBurstAllowance", TimeValue(MilliSeconds(150)));
  // Floyd and Jacobson 1993, section 4: signals from the first packet on. The default waits as ns-2 does.
  Config::SetDefault("ns3::RedQueueDisc::Wait", BooleanValue(false));
  Config::SetDefault("ns3::RedQueueDisc::MeanPktSize", UintegerValue(kPacket));
  // The segments of mesonet: 1500 bytes, an acknowledgement each, an initial window of 10, timeouts of 1 s and more.
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kPacket - kHeaders));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
  Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
  Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(1)));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(20000 * (kPacket - kHeaders)));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(20000 * (kPacket - kHeaders)));
  Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
  Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
  Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
  // Proportional rate reduction keeps windows small after marks; mesonet switches it off, too.
  Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
}

// The queue disc, as yet without a device.
Ptr<QueueDisc> MakeDisc(double mbps) {
  ObjectFactory factory(TypeOf(options.discipline));
  if (options.discipline == "codel") {
    factory.Set("MaxSize", StringValue(std::to_string(uint64_t{options.limit} * kPacket) + "B"));
  } else {
    factory.Set("MaxSize", StringValue(std::to_string(options.limit) + "p"));
  }
  if (options.discipline == "red") {
    factory.Set("LinkBandwidth", DataRateValue(DataRate(static_cast<uint64_t>(mbps * 1e6))));
  }
  if (options.discipline != "drop_tail") factory.Set("UseEcn", BooleanValue(options.ecn != 0));
  auto disc = factory.Create<QueueDisc>();
  if (auto fair = DynamicCast<FqCoDelQueueDisc>(disc)) fair->SetQuantum(options.quantum);
  int64_t stream = 1000;
  if (auto pie = DynamicCast<PieQueueDisc>(disc)) pie->AssignStreams(stream);
  if (auto red = DynamicCast<RedQueueDisc>(disc)) red->AssignStreams(stream);
  return disc;
}

uint64_t timeouts = 0, reductions = 0;

// NewReno that counts, with a choice of what a reduction starts from. That of ns-3 is the pipe of RFC 6675, without the
// segments that were lost or acknowledged selectively. RFC 5681 (section 3.1) and RFC 6675 (section 5) have all that is
// outstanding, flight: the window, in flows that always have data.
class CountedNewReno : public TcpNewReno {
 public:
  static TypeId GetTypeId() {
    static TypeId type = TypeId("CountedNewReno").SetParent<TcpNewReno>().AddConstructor<CountedNewReno>();
    return type;
  }
  Ptr<TcpCongestionOps> Fork() override { return CopyObject<CountedNewReno>(this); }
  uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t pipe) override {
    reduced_ = Simulator::Now();
    reductions += Measured();
    const uint32_t flight = tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq;
    const uint32_t basis = options.reduceFrom == "pipe"     ? pipe
                           : options.reduceFrom == "flight" ? flight
                                                            : tcb->m_cWnd.Get();
    return TcpNewReno::GetSsThresh(tcb, basis);
  }
  void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t acked, const Time&) override {
    if (options.growAfterMark && tcb->m_congState == TcpSocketState::CA_CWR) IncreaseWindow(tcb, acked);
  }
  void CongestionStateSet(Ptr<TcpSocketState>, const TcpSocketState::TcpCongState_t state) override {
    if (state != TcpSocketState::CA_LOSS || !Measured()) return;
    ++timeouts;
    // The threshold after a timeout was asked for just before: no reduction.
    if (reduced_ == Simulator::Now()) --reductions;
  }

 private:
  Time reduced_ = Seconds(-1);
};

NS_OBJECT_ENSURE_REGISTERED(CountedNewReno);

uint64_t lost = 0, received = 0;

// Loss of Gilbert and Elliott: a link that changes its state with each packet, and loses every packet in the bad one.
class TwoStateErrorModel : public ErrorModel {
 public:
  static TypeId GetTypeId() {
    static TypeId type = TypeId("TwoStateErrorModel").SetParent<ErrorModel>().AddConstructor<TwoStateErrorModel>();
    return type;
  }

 private:
  bool DoCorrupt(Ptr<Packet>) override {
    if (draw_->GetValue() < (bad_ ? options.toGood : options.toBad)) bad_ = !bad_;
    return bad_ || draw_->GetValue() < options.loss;
  }
  void DoReset() override { bad_ = false; }
  Ptr<UniformRandomVariable> draw_ = CreateObject<UniformRandomVariable>();
  bool bad_ = false;
};

NS_OBJECT_ENSURE_REGISTERED(TwoStateErrorModel);

void Lost(Ptr<const Packet>) { lost += Measured(); }
void Received(Ptr<const Packet> packet, const Address&) { received += Measured() ? packet->GetSize() : 0; }

// What happens at the bottleneck.
uint64_t drops = 0, marks = 0, sent = 0, sentBytes = 0, samples = 0, sampled = 0;
bool transmitting = false;
std::deque<Time> leaving;  // arrivals of the packets between the queue disc and the wire
std::vector<double> delays;
Ptr<QueueDisc> disc;
Ptr<NetDeviceQueue> gate;
Ptr<PointToPointNetDevice> device;

void Dropped(Ptr<const QueueDiscItem>, const char*) { drops += Measured(); }
// A queue disc reports packets that it drops at its head as dequeued before.
void DroppedAtHead(Ptr<const QueueDiscItem> item, const char* reason) {
  leaving.pop_back();
  Dropped(item, reason);
}
void Marked(Ptr<const QueueDiscItem>, const char*) { marks += Measured(); }
void LeftDisc(Ptr<const QueueDiscItem> item) { leaving.push_back(item->GetTimeStamp()); }

void Began(Ptr<const Packet> packet) {
  transmitting = true;
  Time since = leaving.front();
  leaving.pop_front();
  if (Measured()) {
    delays.push_back((Simulator::Now() - since).GetSeconds());
    ++sent;
    sentBytes += packet->GetSize() - kFrame;
  }
  if (options.device == 0) gate->Stop();
}

void Ended(Ptr<const Packet>) {
  transmitting = false;
  // The device has not noticed yet that it is free.
  if (options.device == 0) Simulator::ScheduleNow(&NetDeviceQueue::Wake, gate);
}

std::vector<double> queues;  // each sample, of on-off flows

void Sample() {
  if (Measured()) {
    const uint64_t inside = disc->GetNPackets() + leaving.size() + transmitting;
    ++samples;
    sampled += inside;
    if (options.pps > 0) queues.push_back(static_cast<double>(inside));
  }
  Simulator::Schedule(MilliSeconds(10), &Sample);
}

// The least value that a part of the values does not exceed.
double Percentile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  auto place = std::min(values.size() - 1, static_cast<size_t>(part * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<long>(place), values.end());
  return values[place];
}

NetDeviceContainer Link(Ptr<Node> a, Ptr<Node> b, double mbps, double backMbps, Time delay, uint32_t places) {
  PointToPointHelper link;
  link.SetChannelAttribute("Delay", TimeValue(delay));
  link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(std::to_string(places) + "p"));
  auto devices = link.Install(a, b);
  // The frame has a header that the queue disc does not see: a packet of 1500 bytes takes 1500 bytes of time.
  const double frames = static_cast<double>(kPacket + kFrame) / kPacket;
  const double rates[] = {mbps * frames, backMbps * frames};
  for (uint32_t end = 0; end < 2; ++end) {
    devices.Get(end)->SetAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rates[end] * 1e6 + 0.5))));
  }
  return devices;
}

std::vector<double> Numbers(const std::string& text) {
  std::vector<double> found;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) found.push_back(std::stod(word));
  return found;
}

// An on-off flow hands over packets of a segment each.
struct Source {
  Ptr<OnOffApplication> application;
  Time last;
};

std::vector<Source> sources;
std::vector<uint32_t> congestion;  // windows, bytes
uint64_t offered = 0, bursts = 0;
double windows = 0;
constexpr double kLookS = 0.01;  // after the first packet of a burst: before its acknowledgement

void WindowChanged(uint32_t flow, uint32_t, uint32_t bytes) { congestion[flow] = bytes; }
void Watch(uint32_t flow) {
  sources[flow].application->GetSocket()->TraceConnectWithoutContext("CongestionWindow",
                                                                     MakeBoundCallback(&WindowChanged, flow));
}

void Look(uint32_t flow) {
  if (!Measured()) return;
  ++bursts;
  windows += static_cast<double>(congestion[flow]) / (kPacket - kHeaders);
}

void HandedOver(uint32_t flow, Ptr<const Packet>) {
  offered += Measured();
  auto& source = sources[flow];
  // A burst begins where the application paused for more than half of the mean time off.
  const bool begins = (Simulator::Now() - source.last).GetSeconds() > options.offS / 2;
  if (begins && !options.udp) Simulator::Schedule(Seconds(kLookS), &Look, flow);
  source.last = Simulator::Now();
}

std::string Variable(double mean) {
  std::ostringstream text;
  text << (options.law == "constant" ? "ns3::ConstantRandomVariable[Constant=" : "ns3::ExponentialRandomVariable[Mean=")
       << mean << "]";
  return text.str();
}

void StartOnOff(Ptr<Node> from, Address to, double start) {
  const auto flow = static_cast<uint32_t>(sources.size());
  OnOffHelper onOff(options.udp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory", to);
  const uint32_t headers = options.udp ? kUdpHeaders : kHeaders;
  onOff.SetAttribute("PacketSize", UintegerValue(kPacket - headers));
  onOff.SetAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>((kPacket - headers) * 8 * options.pps + 0.5))));
  onOff.SetAttribute("OnTime", StringValue(Variable(options.onS)));
  onOff.SetAttribute("OffTime", StringValue(Variable(options.offS)));
  auto application = DynamicCast<OnOffApplication>(onOff.Install(from).Get(0));
  application->SetStartTime(Seconds(start));
  application->AssignStreams(2000 + 2 * flow);
  application->TraceConnectWithoutContext("Tx", MakeBoundCallback(&HandedOver, flow));
  sources.push_back({application, Seconds(0)});
  congestion.push_back(0);
  if (!options.udp) Simulator::Schedule(Seconds(start) + NanoSeconds(1), &Watch, flow);
}

void RunTcp() {
  Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(CountedNewReno::GetTypeId()));
  Config::SetDefault("ns3::TcpSocketBase::UseEcn", EnumValue(options.ecn ? TcpSocketState::On : TcpSocketState::Off));
  const auto starts = Numbers(options.starts);
  auto extra = Numbers(options.extraMs);
  extra.resize(starts.size());

  InternetStackHelper internet;
  internet.SetIpv6StackInstall(false);
  TrafficControlHelper control;
  Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
  auto place = [&](NetDeviceContainer devices) {
    auto given = addresses.Assign(devices);
    addresses.NewNetwork();
    return given;
  };
  auto a = CreateObject<Node>(), b = CreateObject<Node>();
  internet.Install(NodeContainer(a, b));
  const double fast = 1000;
  auto middle = Link(a, b, options.mbps, fast, Seconds(options.rttMs / 2000), 1);
  device = DynamicCast<PointToPointNetDevice>(middle.Get(0));
  place(middle);
  control.Uninstall(middle);
  if (options.toBad > 0) {
    middle.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(CreateObject<TwoStateErrorModel>()));
  } else if (options.loss > 0) {
    auto errors = CreateObject<RateErrorModel>();
    errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    errors->SetRate(options.loss);
    middle.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
  }
  middle.Get(1)->TraceConnectWithoutContext("PhyRxDrop", MakeCallback(&Lost));
  disc = MakeDisc(options.mbps);
  auto layer = a->GetObject<TrafficControlLayer>();
  layer->SetRootQueueDiscOnDevice(device, disc);
  disc->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&Dropped));
  disc->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&DroppedAtHead));
  disc->TraceConnectWithoutContext("Mark", MakeCallback(&Marked));
  disc->TraceConnectWithoutContext("Dequeue", MakeCallback(&LeftDisc));
  device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Began));
  device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Ended));
  gate = device->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);

  for (size_t flow = 0; flow < starts.size(); ++flow) {
    auto from = CreateObject<Node>(), to = CreateObject<Node>();
    internet.Install(NodeContainer(from, to));
    auto first = Link(from, a, fast, fast, Seconds(extra[flow] / 2000), 1000000);
    auto last = Link(b, to, fast, fast, Seconds(0), 1000000);
    place(first);
    auto address = place(last).GetAddress(1);
    control.Uninstall(first);
    control.Uninstall(last);
    PacketSinkHelper listen(options.udp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
    listen.Install(to).Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Received));
    if (options.pps > 0) {
      StartOnOff(from, InetSocketAddress(address, 9), starts[flow]);
      continue;
    }
    BulkSendHelper send("ns3::TcpSocketFactory", InetSocketAddress(address, 9));
    send.SetAttribute("MaxBytes", UintegerValue(0));
    send.SetAttribute("SendSize", UintegerValue(kPacket - kHeaders));
    send.Install(from).Start(Seconds(starts[flow]));
  }
  Ipv4GlobalRoutingHelper::PopulateRoutingTables();
  Simulator::Schedule(MilliSeconds(10), &Sample);
  Simulator::Stop(Seconds(options.seconds));
  Simulator::Run();

  const double span = options.seconds - options.warmup;
  double sum = 0;
  for (double delay : delays) sum += delay;
  std::cout << "utilisation " << static_cast<double>(sentBytes) * 8 / (options.mbps * 1e6 * span) << "\n"
            << "delay_mean_ms " << 1e3 * sum / static_cast<double>(std::max<size_t>(1, delays.size())) << "\n"
            << "delay_p50_ms " << 1e3 * Percentile(delays, 0.5) << "\n"
            << "delay_p95_ms " << 1e3 * Percentile(delays, 0.95) << "\n"
            << "queue_mean " << static_cast<double>(sampled) / static_cast<double>(std::max<uint64_t>(1, samples)) << "\n"
            << "sent " << sent << "\ndrops " << drops << "\nmarks " << marks << "\ntimeouts " << timeouts
            << "\nreductions " << reductions << "\n";
  if (options.loss > 0 || options.toBad > 0) {
    std::cout << "lost " << lost << "\nreceived " << received / (kPacket - kHeaders) << "\n";
  }
  if (options.pps > 0) {
    std::cout << "offered " << offered << "\nreceived " << received / (kPacket - (options.udp ? kUdpHeaders : kHeaders))
              << "\nqueue_p95 " << Percentile(queues, 0.95) << "\nbursts " << bursts << "\nwindow "
              << windows / static_cast<double>(std::max<uint64_t>(1, bursts)) << "\n";
  }
}

// A packet of a load. Its flow is its hash, so that no two flows share a queue.
class LoadItem : public QueueDiscItem {
 public:
  LoadItem(uint32_t flow, bool capable)
      : QueueDiscItem(Create<Packet>(kPacket), Address(), 0), flow_(flow), capable_(capable) {}
  void AddHeader() override {}
  bool Mark() override { return capable_; }
  uint32_t Hash(uint32_t) const override { return flow_; }

 private:
  uint32_t flow_;
  bool capable_;
};

struct Bin {
  uint64_t arrivals = 0, served = 0, drops = 0, marks = 0;
  double delay = 0;
};

std::vector<Bin> bins;
bool serving = false;

Bin& Now() {
  auto place = static_cast<size_t>(Simulator::Now().GetSeconds() / options.binS);
  if (bins.size() <= place) bins.resize(place + 1);
  return bins[place];
}

void Serve() {
  auto item = disc->Dequeue();
  serving = item != nullptr;
  if (!serving) return;
  ++Now().served;
  Now().delay += (Simulator::Now() - item->GetTimeStamp()).GetSeconds();
  Simulator::Schedule(NanoSeconds(static_cast<int64_t>(item->GetSize() * 8e3 / kLoadMbps)), &Serve);
}

void Arrive(uint32_t number) {
  ++Now().arrivals;
  // The first flow sends four times as much as each other flow.
  const uint32_t turn = number % (options.flows + 3);
  disc->Enqueue(Create<LoadItem>(turn < 3 ? 0 : turn - 3, options.ecn != 0));
  if (!serving) Serve();
}

void RunLoad() {
  disc = MakeDisc(kLoadMbps);
  disc->Initialize();
  disc->TraceConnectWithoutContext("DropBeforeEnqueue", Callback<void, Ptr<const QueueDiscItem>, const char*>(
                                                            [](Ptr<const QueueDiscItem>, const char*) { ++Now().drops; }));
  disc->TraceConnectWithoutContext("DropAfterDequeue", Callback<void, Ptr<const QueueDiscItem>, const char*>(
                                                           [](Ptr<const QueueDiscItem>, const char*) { ++Now().drops; }));
  disc->TraceConnectWithoutContext("Mark", Callback<void, Ptr<const QueueDiscItem>, const char*>(
                                               [](Ptr<const QueueDiscItem>, const char*) { ++Now().marks; }));
  const double service = kPacket * 8e3 / kLoadMbps;  // ns
  int64_t at = 0;
  double end = 0;
  uint32_t number = 0;
  std::istringstream text(options.load);
  for (std::string step; std::getline(text, step, ',');) {
    auto colon = step.find(':');
    end += std::stod(step.substr(0, colon));
    const auto gap = static_cast<int64_t>(service / std::stod(step.substr(colon + 1)) + 0.5);
    for (; at < static_cast<int64_t>(end * 1e9); at += gap) Simulator::Schedule(NanoSeconds(at), &Arrive, number++);
  }
  Simulator::Stop(Seconds(end));
  Simulator::Run();
  bins.resize(static_cast<size_t>(end / options.binS + 0.5));
  std::cout << "end_s,arrivals,served,drops,marks,delay_mean_ms\n";
  for (size_t place = 0; place < bins.size(); ++place) {
    const auto& bin = bins[place];
    std::cout << (static_cast<double>(place) + 1) * options.binS << "," << bin.arrivals << "," << bin.served << ","
              << bin.drops << "," << bin.marks << ","
              << (bin.served ? 1e3 * bin.delay / static_cast<double>(bin.served) : 0) << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  SetDefaults();
  std::string mode;
  CommandLine command;
  command.AddNonOption("mode", "tcp or load", mode);
  command.AddValue("discipline", "drop_tail, codel, fq_codel, pie or red", options.discipline);
  command.AddValue("mbps", "rate of the bottleneck", options.mbps);
  command.AddValue("rttMs", "round trip without queues", options.rttMs);
  command.AddValue("starts", "start of each flow, s", options.starts);
  command.AddValue("extraMs", "what the round trip of each flow is longer, ms", options.extraMs);
  command.AddValue("growAfterMark", "1: windows grow in the round trip after a mark, too", options.growAfterMark);
  command.AddValue("seconds", "length of a run", options.seconds);
  command.AddValue("warmup", "beginning of the measured span, s", options.warmup);
  command.AddValue("loss", "probability that the link loses a packet", options.loss);
  command.AddValue("toBad", "probability that a packet ends the state that loses none", options.toBad);
  command.AddValue("toGood", "probability that a packet ends the state that loses all", options.toGood);
  command.AddValue("pps", "packets per second of an on-off flow while on; 0: data without end", options.pps);
  command.AddValue("onS", "mean time on, s", options.onS);
  command.AddValue("offS", "mean time off, s", options.offS);
  command.AddValue("law", "of the times on and off: constant or exponential", options.law);
  command.AddValue("udp", "1: on-off flows send by UDP", options.udp);
  command.AddValue("limit", "packets that may wait", options.limit);
  command.AddValue("device", "packets that wait in the device behind the queue disc: 0 or 1", options.device);
  command.AddValue("ecn", "1: flows are ECN-capable, and the queue disc marks", options.ecn);
  command.AddValue("reduceFrom", "basis of a reduction: window, flight (all outstanding), or pipe as in ns-3", options.reduceFrom);
  command.AddValue("seed", "seed of the run", options.seed);
  command.AddValue("flows", "flows of a load", options.flows);
  command.AddValue("quantum", "bytes of a turn of FQ-CoDel", options.quantum);
  command.AddValue("load", "steps of a load: seconds:load,...", options.load);
  command.Parse(argc, argv);
  RngSeedManager::SetSeed(1);
  RngSeedManager::SetRun(options.seed);
  if (mode == "tcp") {
    RunTcp();
  } else if (mode == "load") {
    RunLoad();
  } else {
    std::cerr << "mode: \"" << mode << "\": allowed: tcp, load\n";
    return 2;
  }
  Simulator::Destroy();
  return 0;
}
