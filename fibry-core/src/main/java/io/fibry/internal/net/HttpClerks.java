package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.internal.log.Logs;
import io.fibry.internal.run.HelperDispatch;
import io.fibry.internal.scope.Shifts;
import io.fibry.time.TimeSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;

/**
 * The fibers that read and answer the requests of one server. One that is done takes the next request that waits, so in
 * busy times few fibers, each of them one actor, do what else many would. A request waits for nobody who is blocked: as
 * long as requests wait, a fiber is on its way or is just about to look. Who brings a request adds it first and then
 * sends for {@link HelperDispatch}; a fiber arrives first and then looks; who takes a request and leaves others sends for help
 * before it does anything else, and so does who ends. Where a fiber cannot be had, for lack of memory, the next sweep
 * sends for one.
 */
final class HttpClerks implements Executor {
    private static final Logger LOG = Logs.of("io.fibry.net.http");
    /** After so long a fiber leaves the rest to another: it may not keep its carrier for ever. */
    private static final long SHIFT_NANOS = 1_000_000;

    private final HttpTraffic traffic;
    private final HttpWorks works;
    private final Shifts shifts;
    private final TimeSource time;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final HelperDispatch help;

    /** Clerks whose shifts are these, on fibers that this executor starts, of which only so many are on their way. */
    HttpClerks(HttpTraffic traffic, HttpWorks works, Shifts shifts, TimeSource time, Executor starter,
            int processors) {
        this.traffic = traffic;
        this.works = works;
        this.shifts = shifts;
        this.time = time;
        help = new HelperDispatch(chain -> this::arrive, starter, processors);
    }

    /** Called by the engine for each request, when its first byte is there. */
    @Override
    public void execute(Runnable request) {
        waiting.add(request);
        boolean helped;
        try {
            helped = help.send(0, 0);
        } catch (StackOverflowError e) {
            helped = false;
        }
        if (!helped && waiting.remove(request)) {
            throw new RejectedExecutionException(
                    "no fiber could be started for a request: there is no memory, or no stack, for one");
        }
    }

    /** Makes sure that nothing waits for ever: who counted on a fiber that could not be started has not heard of it. */
    void sendHelp() {
        if (!waiting.isEmpty()) {
            help.send(0, 0);
        }
    }

    private void arrive() {
        if (waiting.isEmpty()) {
            return; // somebody was faster
        }
        try {
            shifts.run(context -> work(context.self()));
        } catch (IllegalStateException closed) {
            traffic.refuse();
            refuseAll();
        }
        sendHelp();
    }

    /** There can be no actors any more. Who still comes is told so. */
    private void refuseAll() {
        for (var request = waiting.poll(); request != null; request = waiting.poll()) {
            sendHelp();
            try {
                request.run();
            } catch (RuntimeException e) {
                LOG.debug("a request that came too late was broken off", e);
            }
        }
    }

    private void work(Actor<?, ?> self) {
        var work = new HttpWork(() -> Shifts.force(self));
        works.add(work);
        try {
            workThrough(self, work);
        } finally {
            works.remove(work);
        }
    }

    private void workThrough(Actor<?, ?> self, HttpWork work) {
        var began = time.nanoTime();
        do {
            var request = waiting.poll();
            if (request == null) {
                return;
            }
            sendHelp();
            traffic.pieceBegins(work);
            shifts.piece(request);
            work.readsSince(0, work.piece());
        } while (work.goesOn() && isWanted(self) && time.nanoTime() - began < SHIFT_NANOS);
    }

    /** Who stops the actor gives the reason first and then interrupts, and the flag has just been cleared. */
    private static boolean isWanted(Actor<?, ?> self) {
        return switch (self.state()) {
            case IDLE, BUSY -> true;
            case STOPPING, STOPPED -> false;
        };
    }
}
