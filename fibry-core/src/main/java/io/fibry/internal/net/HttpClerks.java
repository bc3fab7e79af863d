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
 * The clerks of one server: the fibers that read and answer its requests. A clerk that has answered a request takes
 * the next one that waits, so that few fibers, each of them one actor, do the work of many when the server is busy.
 *
 * <p>No request waits for a clerk that is blocked: as long as requests wait, a fiber is on its way or is about to
 * look for them. The argument: a thread that brings a request first adds it and then calls the {@link
 * HelperDispatch}. A fiber first arrives and then looks for requests. A clerk that takes a request and leaves others
 * calls for help before it does anything else, and so does a clerk that ends. If there is no memory for a fiber the
 * next sweep calls for one.
 */
final class HttpClerks implements Executor {
    private static final Logger LOG = Logs.of("io.fibry.net.http");
    /** After this time a clerk leaves the rest to another one, since it must not keep its carrier for ever. */
    private static final long SHIFT_NANOS = 1_000_000;

    private final HttpTraffic traffic;
    private final HttpWorks works;
    private final Shifts shifts;
    private final TimeSource time;
    /** A thread adds a request and then sends for a clerk; a clerk arrives and then looks. */
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final HelperDispatch help;

    /**
     * Makes the clerks of a server. The executor starts their fibers; at most {@code processors} of them are on
     * their way at a time.
     */
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

    /**
     * Calls for a fiber if requests wait. A thread that relied on a fiber that could not be started does not know of
     * this failure.
     */
    void sendHelp() {
        if (!waiting.isEmpty()) {
            help.send(0, 0);
        }
    }

    private void arrive() {
        if (waiting.isEmpty()) {
            return; // another clerk was faster
        }
        try {
            shifts.run(context -> work(context.self()));
        } catch (IllegalStateException closed) {
            traffic.refuse();
            refuseAll();
        }
        sendHelp();
    }

    /** Answers the requests that wait with a refusal, since no actor can be made any more. */
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

    /**
     * Returns whether the clerk may go on. A stopper first sets the reason and then interrupts, and the interrupt
     * flag has just been cleared.
     */
    private static boolean isWanted(Actor<?, ?> self) {
        return switch (self.state()) {
            case IDLE, BUSY -> true;
            case STOPPING, STOPPED -> false;
        };
    }
}
