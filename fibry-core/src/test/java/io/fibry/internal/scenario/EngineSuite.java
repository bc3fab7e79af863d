package io.fibry.internal.scenario;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The scenarios of the engine. Some of its mutants are found by those of the patterns, which are played in their module. */
final class EngineSuite implements Suite {
    @Override
    public List<Scenario> scenarios() {
        return List.of(new SendOrIdle(), new SendOrStop(), new AskOrStop(), new StopFromInside(),
                new NameReuse(),
                new FindOrMakeOnce(), new Bounded(), new Receive(), new PlacesWhileReceiving(),
                new TimersOrStop(), new CancelOrTick(),
                new JobStarts(), new ScopeClose(), new ClosingListeners(), new ScopeDrain(),
                new Overload(), new BlockedByScope(), new Turnstiles(), new Cancel(), new GiveWay(),
                new AskCycle(), new ForceOrNext(), new StopAtOnce(), new Refused(), new BlockCycle(),
                new LaneRescue(), new Spread(), new AskedAgain(), new LeftStack(), new AskDag(),
                new Restarts(), new Groups(), new Heirs(), new GroupDrain(), new GroupCycles(),
                new GrowingMailbox(), new ChunkedBacklog(), new GivenUpBacklog(), new BoundedBacklog(),
                new Makings(),
                new Watches(), new WatchedBelow(), new IdleStops(), new KeyedRevival(), new TakeBack(),
                new Hurry(), new Limits(), new LateAnswer(), new Baggage(), new Scoped(), new Abandon(),
                new Stashes(), new LateReplies(), new Urgents(), new HeldTogether(), new HeldAsks(),
                new TrackedSends(), new SharedMailboxes());
    }

    @Override
    public Map<Path, List<Mutant>> marked() {
        return Map.of(Markers.SOURCES, Mutants.ALL);
    }
}
