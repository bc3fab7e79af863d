package io.fibry.inside;

import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.dump.ActorDump;
import io.fibry.dump.Dump;
import io.fibry.dump.HandlerTotals;
import io.fibry.dump.ScopeDump;
import io.fibry.dump.WaitChain;
import io.fibry.dump.Work;
import io.fibry.event.Undelivered.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Dumps made by hand. */
final class Dumps {
    private Dumps() {
    }

    static Dump of(Instant at, ScopeDump scope, WaitChain... waits) {
        return new Dump(at, Duration.ofMillis(1), "25", 2, 0, scope, List.of(waits));
    }

    /** A scope with one busy actor, if messages wait. */
    static ScopeDump scope(String name, long waiting, long handled, long lost, ScopeDump... inner) {
        return new ScopeDump(name, ScopeDump.State.OPEN, true, 1, waiting > 0 ? 0 : 1, waiting > 0 ? 1 : 0,
                waiting,
                new Counters(handled, 0, 0, 0, lost, 0), lost > 0 ? Map.of(Cause.STOPPED, lost) : Map.of(),
                List.of(),
                List.of(), 0, 0, 0,
                List.of(new HandlerTotals("shop.Till", 1, waiting > 0 ? 0 : 1, waiting > 0 ? 1 : 0, waiting,
                        waiting,
                        handled, 0)),
                waiting > 0 ? List.of(actor("till", waiting, Duration.ofSeconds(2))) : List.of(),
                List.of(), List.of(inner));
    }

    /** A scope with these actors. */
    static ScopeDump showing(String name, ActorDump... actors) {
        return new ScopeDump(name, ScopeDump.State.OPEN, true, actors.length, 0, actors.length, 0,
                new Counters(0, 0, 0, 0, 0, 0), Map.of(), List.of(), List.of(), 0, 0, 0,
                List.of(new HandlerTotals("shop.Till", actors.length, 0, actors.length, 0, 0, 0, 0)),
                List.of(actors), List.of(), List.of());
    }

    /** A scope with one busy actor that no look has seen before. */
    static ScopeDump unseen(String name, long waiting, long handled) {
        return new ScopeDump(name, ScopeDump.State.OPEN, true, 1, 0, 1, waiting,
                new Counters(handled, 0, 0, 0, 0, 0), Map.of(), List.of(), List.of(), 0, 0, 0,
                List.of(new HandlerTotals("shop.Till", 1, 0, 1, waiting, waiting, handled, 0)),
                List.of(new ActorDump("till", "shop.Till", ActorState.BUSY, waiting, 0, Optional.empty(),
                        new Counters(handled, 0, 0, 0, 0, 0),
                        List.of(new Work(Optional.empty(), Optional.empty(), "", Optional.empty(),
                                List.of())),
                        List.of(), Optional.empty(), 0, 0, 0, 0)),
                List.of(), List.of());
    }

    static ActorDump actor(String name, long waiting, Duration since) {
        return new ActorDump(name, "shop.Till", ActorState.BUSY, waiting, 0, Optional.of(since),
                new Counters(0, 0, 0, 0, 0, 0),
                List.of(new Work(Optional.empty(), Optional.of(since.minusMillis(500)), "", Optional.empty(),
                        List.of(new StackTraceElement("java.util.concurrent.CountDownLatch", "await",
                                "CountDownLatch.java", 1),
                                new StackTraceElement("shop.Till", "handle", "Till.java", 7)))),
                List.of(), Optional.empty(), 0, 0, 0, 0);
    }
}
