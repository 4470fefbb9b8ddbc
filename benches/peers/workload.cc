// Runs a workload in ns-3: workload WORKLOAD.TXT. TCP NewReno with selective acknowledgements; buffers of 16 MB, twice the
// largest window that these workloads reach.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/nix-vector-routing-module.h"
#include "ns3/point-to-point-module.h"
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

using namespace ns3;

namespace {

constexpr uint32_t kPayload = 1448;  // 1,500 bytes with the headers of IP and TCP (timestamps)
uint64_t received = 0;

class Network {
 public:
  Network() {
    Ipv4NixVectorHelper nix;
    internet_.SetRoutingHelper(nix);
    internet_.SetIpv6StackInstall(false);
  }

  Ptr<Node> Router(const std::string& name) {
    auto& node = routers_[name];
    if (!node) node = NewNode();
    return node;
  }

  // A host per router and place: flows take them in turn, so that thousands of flows share so many hosts.
  Ptr<Node> Host(const std::string& router, const std::string& place, const std::string& rate) {
    auto& node = hosts_[router + " " + place];
    if (!node) {
      node = NewNode();
      Connect(node, Router(router), rate, 0, 1000000);
    }
    return node;
  }

  void Connect(Ptr<Node> a, Ptr<Node> b, const std::string& rate, double delay, uint32_t queue) {
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(rate + "bps"));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(std::to_string(queue) + "p"));
    auto devices = link.Install(a, b);
    addresses_.SetBase(Ipv4Address(next_ += 4), "255.255.255.252");
    addresses_.Assign(devices);
  }

  void Transfer(const std::string& from, const std::string& to, double start, uint64_t segments, const std::string& rate) {
    uint32_t place = segments == 0 ? number_ : number_ % 25;
    auto source = Host(from, "out " + std::to_string(place), rate);
    auto sink = Host(to, "in " + std::to_string(place), rate);
    uint16_t port = static_cast<uint16_t>(1024 + number_ % 60000);
    PacketSinkHelper listen("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
    auto listener = listen.Install(sink);
    listener.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Received));
    auto address = sink->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
    BulkSendHelper send("ns3::TcpSocketFactory", InetSocketAddress(address, port));
    send.SetAttribute("MaxBytes", UintegerValue(segments * kPayload));
    send.SetAttribute("SendSize", UintegerValue(kPayload));
    auto application = send.Install(source);
    application.Start(Seconds(start));
    ++number_;
  }

 private:
  static void Received(Ptr<const Packet> packet, const Address&) { received += packet->GetSize(); }

  Ptr<Node> NewNode() {
    auto node = CreateObject<Node>();
    internet_.Install(node);
    return node;
  }

  InternetStackHelper internet_;
  Ipv4AddressHelper addresses_;
  std::map<std::string, Ptr<Node>> routers_, hosts_;
  uint32_t next_ = 0x0a000000, number_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: workload WORKLOAD.TXT\n";
    return 2;
  }
  Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
  Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kPayload));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 24));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 24));
  std::ifstream file(argv[1]);
  Network network;
  double duration = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string what, from, to, rate;
    double seconds;
    uint64_t segments;
    words >> what;
    if (what == "duration") {
      words >> duration;
    } else if (what == "link") {
      words >> from >> to >> rate >> seconds >> segments;
      network.Connect(network.Router(from), network.Router(to), rate, seconds, static_cast<uint32_t>(segments));
    } else if (what == "flow") {
      words >> from >> to >> seconds >> segments >> rate;
      network.Transfer(from, to, seconds, segments, rate);
    }
  }
  Simulator::Stop(Seconds(duration));
  Simulator::Run();
  std::cout << "delivered " << received / kPayload << "\n";
  Simulator::Destroy();
}
