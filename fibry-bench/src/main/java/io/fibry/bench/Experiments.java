package io.fibry.bench;

import java.util.List;
import java.util.Optional;

/** All experiments, in the order in which they are run. */
final class Experiments {
    private static final List<Experiment> ALL = List.of(
            new Create(),
            new CreateArticle(),
            new IdleBytes(),
            new Ask(),
            new AskArticle(),
            new Tell(),
            new Ring(),
            new Skynet(),
            new Flood(),
            new FloodFromFibers(),
            new FalseSharing(),
            new AsyncArticle(),
            new FanOut(),
            new Receive(),
            new Bounded(),
            new Patterns(),
            new Everyday(),
            new Measures(),
            new Dumping(),
            new Transfers(),
            new ActorNames(),
            new Latency(),
            new Sleepers(),
            new Delays(),
            new BlockedSecond(),
            new ThreadLimit(),
            new TimedLaunches(),
            new ReadsBesideWork(),
            new SingleReads(),
            new TaskSize(),
            new HttpCalls(),
            new SqlConnections(),
            new DurableExperiment(),
            new ClusterExperiment(),
            new Overload(),
            new HundredMillion(),
            new TcpHelloExperiment(),
            new ServersByStrategy(),
            new AsyncController(),
            new TcpIdle(),
            new HttpHelloExperiment(),
            new WebHello());

    private Experiments() {
    }

    static List<Experiment> all() {
        return ALL;
    }

    /** Those that {@code all} stands for. */
    static List<Experiment> forAll() {
        return ALL.stream().filter(Experiment::isForAll).toList();
    }

    static Optional<Experiment> find(String name) {
        return ALL.stream().filter(experiment -> experiment.name().equals(name)).findFirst();
    }
}
