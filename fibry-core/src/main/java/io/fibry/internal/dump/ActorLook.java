package io.fibry.internal.dump;

import io.fibry.ActorState;
import io.fibry.dump.ActorDump;
import io.fibry.dump.Work;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.details.TimeoutDetails;
import io.fibry.internal.reply.OpenReplies;
import io.fibry.internal.report.ClassName;
import io.fibry.internal.timer.ActorTimers;
import io.fibry.internal.watchdog.WatchedActor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One look at one actor that is shown. */
final class ActorLook {
    private static final String ENGINE = "io.fibry.internal.";

    private final Cell cell;
    private final int frames;

    private ActorLook(Cell cell, int frames) {
        this.cell = cell;
        this.frames = frames;
    }

    static ActorDump at(ScopeVisit.Seen seen, int frames) {
        return new ActorLook(seen.cell(), frames).dump(seen);
    }

    private ActorDump dump(ScopeVisit.Seen seen) {
        var extended = cell.extendedStateIfAny();
        var supervision = extended == null ? null : extended.supervisionIfAny();
        var timers = extended == null ? null : extended.feature(ActorTimers.class);
        var replies = extended == null ? null : extended.feature(OpenReplies.class);
        var sighting = seen.sighting();
        var parent = cell.spec().parent();
        return new ActorDump(cell.name(), ClassName.of(seen.handler()), state(seen),
                seen.waiting(),
                extended == null ? 0 : extended.putAside(),
                sighting == null || seen.waiting() == 0 // a stop may wait, which is no message
                        ? Optional.empty()
                        : sighting.firstWaits(),
                cell.counters(), work(sighting),
                waitsFor(),
                Optional.ofNullable(parent).map(Cell::name),
                supervision == null ? 0 : supervision.childCount(),
                timers == null ? 0 : timers.size(), supervision == null ? 0 : supervision.restartCount(),
                replies == null ? 0 : replies.size());
    }

    /**
     * Returns the state. What was busy when it was chosen counts as busy, also if it is idle by now: in a large scope
     * this comes much later.
     */
    private ActorState state(ScopeVisit.Seen seen) {
        var now = cell.state();
        return now == ActorState.IDLE && !seen.isIdle() ? ActorState.BUSY : now;
    }

    private List<Work> work(Sightings.@Nullable Sighting sighting) {
        if (cell.turn() == null && cell.waiting() == null) {
            return List.of();
        }
        var thread = cell.turn() == null ? null : cell.worker();
        return List.of(new Work(message(), sighting == null ? Optional.empty() : sighting.lasts(),
                thread == null ? "" : thread.getName(), Optional.ofNullable(thread).map(Thread::getState),
                frames == 0 ? List.of() : top(TimeoutDetails.stack(cell))));
    }

    /**
     * Returns the top of a stack down to the handler, without the frames of the library. A stack without code of the user stays
     * as it is.
     */
    private List<StackTraceElement> top(List<StackTraceElement> stack) {
        var code = new ArrayList<StackTraceElement>();
        var hasUsers = false;
        for (var frame : stack) {
            if (!frame.getClassName().startsWith(ENGINE)) {
                code.add(frame);
                hasUsers = hasUsers || TimeoutDetails.isOfTheUser(frame.getClassName());
            } else if (hasUsers) {
                break; // the engine has called the handler
            }
        }
        var shown = hasUsers ? code : stack;
        return shown.size() <= frames ? shown : shown.subList(0, frames);
    }

    /** Returns the class of the message at work, which only the watchdog has the actor note. */
    private Optional<String> message() {
        var extended = cell.extendedStateIfAny();
        var watched = extended == null ? null : extended.feature(WatchedActor.class);
        return watched == null ? Optional.empty()
                : Optional.ofNullable(watched.message()).map(Class::getName);
    }

    private List<String> waitsFor() {
        var edge = cell.waiting();
        return edge == null || edge.isOver() ? List.of() : List.of(edge.target().name());
    }
}
