package io.fibry.internal.scenario;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All scenarios, and how they are played. */
final class Scenarios {
    static final List<Scenario> ALL = List.of(new SendOrIdle(), new SendOrStop(), new AskOrStop(),
            new StopFromInside(),
            new NameReuse(), new FindOrMakeOnce(), new Bounded(), new Receive(), new TimersOrStop(),
            new CancelOrTick(), new JobStarts(),
            new ScopeClose(), new ClosingListeners(),
            new ScopeDrain(), new Overload(), new BlockedByScope(), new Turnstiles(), new Cancel(),
            new GiveWay(), new AskCycle(), new ForceOrNext(), new StopAtOnce(), new Refused(),
            new BlockCycle(),
            new LaneRescue(), new Spread(), new AskedAgain(), new LeftStack(), new AskDag(), new Restarts(),
            new Groups(), new Heirs(), new GroupDrain(), new GrowingMailbox(), new ChunkedBacklog(),
            new GivenUpBacklog(),
            new BoundedBacklog(),
            new Makings(),
            new Watches(), new WatchedBelow(),
            new IdleStops(),
            new KeyedRevival(),
            new TakeBack(), new Hurry(), new Limits(), new LateAnswer(),
            new Baggage(), new Scoped(), new Abandon(),
            new Stashes(), new LateReplies(), new Urgents(),
            new HeldTogether(), new Reentrants(), new TrackedSends(), new Batches(),
            new SideBySide(), new SharedMailboxes(), new Pools(), new PoolCycles(), new Generators(),
            new TurnsGivenUp(), new HalfOpen(), new CancelledWork(), new LastMessages(), new Observed(),
            new PermitsTaken(), new PermitCycles(), new ValuesTaken(), new Machines());

    private Scenarios() {
    }

    static Scenario named(String name) {
        return ALL.stream().filter(scenario -> scenario.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no scenario '" + name + "'"));
    }

    /** Plays one seed and counts what was seen; the schedule that was played. */
    static String play(Scenario scenario, long seed, Map<String, Integer> seen) {
        var play = new Play(seed, what -> seen.merge(what, 1, Integer::sum));
        play.play(scenario);
        return play.schedule.trace();
    }

    static Map<String, Integer> sightings() {
        return new TreeMap<>();
    }
}
