package io.fibry.fsm;

import io.fibry.ActorContext;
import io.fibry.MailboxFullException;
import io.fibry.OverflowPolicy;
import io.fibry.Request;
import io.fibry.function.Handler;
import io.fibry.message.Envelope;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A machine at work: the state of its actor. A restart makes a new one, and so does an actor that has abandoned a handler,
 * before its next message. In that case the timers of the machine before still run, and the events that it has postponed stay
 * aside until the new one begins.
 */
final class RunningMachine {
    private static final TimeOut[] NONE = {};

    private final TransitionTable<?, ?, ?> table;
    private final MachineOptions options;
    private final MachineObservers observers;
    /** The events that were raised and wait in the urgent lane of the actor. They outlive a restart, as the lane does. */
    private final Deque<Object> raised;
    private Object state;
    /** What the table says about the state. */
    private StateRules rules;
    private Object data;
    /** The time-outs of the present state that have not come. */
    private TimeOut[] timeOuts = NONE;
    /** The timer that is set, if one is. */
    private @Nullable TimeIsOver timer;
    /** Whether events may be aside: of this machine, or of one before a restart. */
    private boolean mayHavePostponed;

    RunningMachine(TransitionTable<?, ?, ?> table, MachineOptions options, MachineObservers observers,
            Deque<Object> raised, Object data) {
        this.table = table;
        this.options = options;
        this.observers = observers;
        this.raised = raised;
        this.data = data;
        state = table.initial();
        rules = rulesOf(state);
        mayHavePostponed = table.postpones();
    }

    /** A time-out of a state that was entered, or is about to be. */
    private record TimeOut(Rule rule, Duration after, long end) {
    }

    /**
     * The message of the only timer of a machine. A state that is left leaves it to the next one, which cancels it if
     * it has no time-outs, and sets it again unless it comes early enough: when it comes, the machine looks at the
     * time-outs of the state in which it is.
     */
    private static final class TimeIsOver implements Envelope {
        final long end;
        /** The time-out that has come, for reports. Written by the actor. */
        private volatile String about = "a time-out";
        private volatile Duration after = Duration.ZERO;

        TimeIsOver(long end) {
            this.end = end;
        }

        void is(Duration time) {
            after = time;
            about = "the time-out of a state after " + time;
        }

        @Override
        public Object content() {
            return after;
        }

        @Override
        public Optional<String> about() {
            return Optional.of(about);
        }
    }

    /** Enters the initial state. */
    void begin(ActorContext<Object, @Nullable Object> context) throws Exception {
        var step = new MachineStep(context, state, data, null, options.raised());
        try {
            run(rules.entry(), step);
            settle(context, step, timeOuts(context, rules, step));
            observers.show(state);
            observers.tell(context.scope(), new MachineEvent.Begun<>(state));
        } finally {
            step.end();
        }
    }

    private StateRules rulesOf(Object next) {
        var found = table.rulesOf(next);
        if (found == null) {
            throw new IllegalStateException("the table does not describe the state " + next
                    + ", which a transition has made");
        }
        return found;
    }

    @Nullable Object handle(ActorContext<Object, @Nullable Object> context, Object message) throws Exception {
        // Raised events come before all others, so those before this one are over, also if they have failed on their way.
        while (!raised.isEmpty()) {
            if (raised.removeFirst() == message) {
                break;
            }
        }
        if (message instanceof TimeIsOver over) {
            return timedOut(context, over);
        }
        try {
            var rule = rules.find(state, message, data);
            if (rule != null) {
                return switch (rule.target()) {
                    case Target.Postpone postpone -> postpone(context, message);
                    case Target.Ignore ignore -> stayed(context, message);
                    case Target.Stay stay -> step(context, rule, message, message);
                    case Target.GoTo to -> step(context, rule, message, message);
                    case Target.Make made -> step(context, rule, message, message);
                };
            }
        } catch (Throwable failure) {
            tellFailed(context, failure);
            throw failure;
        }
        return unhandled(context, message);
    }

    /** Handles the first time-out that has come, if there is one. */
    private @Nullable Object timedOut(ActorContext<Object, @Nullable Object> context, TimeIsOver over)
            throws Exception {
        timer = null;
        try {
            var first = firstTimeOut();
            // mutant: timer-of-a-state-that-was-left-is-its-time-out
            if (first == null || first.end() - now(context) > 0) {
                return state;
            }
            over.is(first.after());
            timeOuts = Stream.of(timeOuts).filter(each -> each != first).toArray(TimeOut[]::new);
            return first.rule().allows(state, first.after(), data)
                    ? step(context, first.rule(), first.after(), null) : state;
        } catch (Throwable failure) {
            tellFailed(context, failure);
            throw failure;
        } finally {
            // mutant: timer-that-came-early-is-not-set-again
            setTimer(context);
        }
    }

    private @Nullable TimeOut firstTimeOut() {
        TimeOut first = null;
        for (var each : timeOuts) {
            if (first == null || each.end() - first.end() < 0) {
                first = each;
            }
        }
        return first;
    }

    /** Sets the timer, unless it comes early enough, or cancels it. */
    private void setTimer(ActorContext<Object, @Nullable Object> context) {
        var first = firstTimeOut();
        if (first == null) {
            if (timer != null) {
                timer = null;
                context.timers().cancel(TimeIsOver.class);
            }
        } else if (timer == null || first.end() - timer.end < 0) {
            timer = new TimeIsOver(first.end());
            context.timers().once(TimeIsOver.class, Duration.ofNanos(Math.max(0, first.end() - now(context))),
                    timer);
        }
    }

    private static long now(ActorContext<Object, @Nullable Object> context) {
        return context.scope().time().nanoTime();
    }

    private void tellFailed(ActorContext<Object, @Nullable Object> context, Throwable failure) {
        observers.tell(context.scope(), new MachineEvent.StepFailed<>(state, failure));
    }

    private @Nullable Object step(ActorContext<Object, @Nullable Object> context, Rule rule, Object trigger,
            @Nullable Object event) throws Exception {
        var step = new MachineStep(context, state, data, event, options.raised() - raised.size());
        try {
            if (rule.target() instanceof Target.Stay) {
                act(rule, step, trigger);
                context.self(); // refuses a thread that the actor has abandoned
                data = step.carried();
                send(context, step);
                if (observers.hasListeners()) {
                    observers.tell(context.scope(), event == null
                            ? new MachineEvent.TimedOut<>(state, (Duration) trigger, state)
                            : new MachineEvent.Stayed<>(state, event));
                }
            } else {
                move(context, rule, trigger, step, event);
            }
            return answer(context, step, event);
        } finally {
            step.end();
        }
    }

    private void move(ActorContext<Object, @Nullable Object> context, Rule rule, Object trigger,
            MachineStep step, @Nullable Object event) throws Exception {
        var left = state;
        run(rules.exit(), step);
        act(rule, step, trigger);
        Object next;
        StateRules nextRules;
        if (rule.target() instanceof Target.GoTo to) {
            next = to.state();
            nextRules = to.rules();
        } else {
            next = made((Target.Make) rule.target(), trigger, step);
            nextRules = rulesOf(next);
        }
        step.enter(next);
        // mutant: failed-step-has-moved
        run(nextRules.entry(), step);
        var nextTimeOuts = timeOuts(context, nextRules, step);
        // No code of the program runs from here on, so the step is made as a whole.
        context.self(); // refuses a thread that the actor has abandoned
        state = next;
        rules = nextRules;
        settle(context, step, nextTimeOuts);
        observers.show(next);
        if (observers.hasListeners()) {
            observers.tell(context.scope(), event == null
                    ? new MachineEvent.TimedOut<>(left, (Duration) trigger, next)
                    : new MachineEvent.Moved<>(left, event, next));
        }
    }

    private static void act(Rule rule, MachineStep step, Object trigger) throws Exception {
        var action = rule.action();
        if (action != null) {
            action.run(step, trigger);
        }
    }

    private static Object made(Target.Make made, Object trigger, MachineStep step) throws Exception {
        var next = made.maker().make(step.state(), trigger, step.data());
        if (!made.type().isInstance(next)) {
            throw new IllegalStateException("a transition of machine '" + step.name() + "' was to make a "
                    + made.type().getName() + " and has made " + next);
        }
        return next;
    }

    private static void run(List<Handler<Step<Object, Object, Object>>> actions, MachineStep step)
            throws Exception {
        for (int i = 0; i < actions.size(); i++) {
            actions.get(i).handle(step);
        }
    }

    private static TimeOut[] timeOuts(ActorContext<Object, @Nullable Object> context, StateRules next,
            MachineStep step) {
        if (next.timed().isEmpty()) {
            return NONE;
        }
        var now = now(context);
        var found = new TimeOut[next.timed().size()];
        for (int i = 0; i < found.length; i++) {
            var rule = next.timed().get(i);
            var after = StateRows.checkDelay(
                    Objects.requireNonNull(rule.delay()).apply(step.state(), step.data()));
            found[i] = new TimeOut(rule, after,
                    now + Math.min(TimeUnit.NANOSECONDS.convert(after), Long.MAX_VALUE / 2));
        }
        return found;
    }

    /** The rest of a step that has entered a state. */
    private void settle(ActorContext<Object, @Nullable Object> context, MachineStep step, TimeOut[] next) {
        data = step.carried();
        timeOuts = next;
        setTimer(context);
        if (mayHavePostponed) {
            mayHavePostponed = false;
            // mutant: postponed-events-stay-postponed
            context.unstashAll();
        }
        send(context, step);
        if (rules.isLast()) {
            context.askExit();
        }
    }

    private void send(ActorContext<Object, @Nullable Object> context, MachineStep step) {
        for (int i = 0; i < step.raised().size(); i++) {
            var event = step.raised().get(i);
            try {
                // mutant: raised-event-waits-behind-others
                if (context.self().sendUrgent(event)) { // if not, that is reported
                    raised.addLast(event);
                }
            } catch (MailboxFullException full) {
                // By a limit of the scope, which has reported it: the step is made.
            }
        }
        if (step.isStopping()) {
            context.askExit();
        }
    }

    /** What the caller gets, if there is one. */
    private @Nullable Object answer(ActorContext<Object, @Nullable Object> context, MachineStep step,
            @Nullable Object event) {
        if (!(event instanceof Request<?>)) {
            return state;
        }
        if (!step.isAnswered()) {
            context.deferReply().fail(new IllegalStateException("machine '" + step.name() + "' has handled a "
                    + event.getClass().getName()
                    + " without an answer; the action for it has to call answer or deferReply"));
        }
        return step.answer();
    }

    private @Nullable Object postpone(ActorContext<Object, @Nullable Object> context, Object event) {
        mayHavePostponed = true;
        try {
            context.stash();
        } catch (IllegalStateException full) {
            if (!(options.overflow() instanceof OverflowPolicy.DropOldest)) {
                return tooMany(context, event, full);
            }
            context.dropOldestStashed().ifPresent(
                    oldest -> observers.tell(context.scope(), new MachineEvent.Dropped<>(state, oldest)));
            context.stash();
        }
        observers.tell(context.scope(), new MachineEvent.Postponed<>(state, event));
        return null;
    }

    private Object tooMany(ActorContext<Object, @Nullable Object> context, Object event,
            IllegalStateException full) {
        var what = new IllegalStateException("machine '" + context.self().name() + "' cannot postpone a "
                + event.getClass().getName() + " in state " + state
                + ", since as many events are postponed as may be, "
                + options.postponed() + "; allow more by MachineOptions.withPostponed, or choose by"
                + " withOverflow what happens then", full);
        if (options.overflow() instanceof OverflowPolicy.Fail) {
            throw what;
        }
        observers.tell(context.scope(), new MachineEvent.Dropped<>(state, event));
        context.deferReply().fail(what);
        MachineObservers.report(context.scope(), what);
        return state;
    }

    private @Nullable Object stayed(ActorContext<Object, @Nullable Object> context, Object event) {
        observers.tell(context.scope(), new MachineEvent.Stayed<>(state, event));
        if (event instanceof Request<?>) {
            context.deferReply().fail(new IllegalStateException("machine '" + context.self().name()
                    + "' ignores a " + event.getClass().getName() + " in state " + state));
        }
        return state;
    }

    private @Nullable Object unhandled(ActorContext<Object, @Nullable Object> context, Object event) {
        observers.tell(context.scope(), new MachineEvent.NotHandled<>(state, event));
        var what = new UnhandledEventException("machine '" + context.self().name()
                + "' has no transition in state "
                + state + " for a " + event.getClass().getName()
                + (event instanceof Enum<?> constant ? ", " + constant.name() : "")
                + "; add a row about it, or choose by MachineOptions.withUnhandled what happens to it");
        switch (options.unhandled()) {
            case FAIL -> throw what;
            case IGNORE -> {
                if (event instanceof Request<?>) {
                    context.deferReply().fail(what);
                }
            }
            case REPORT -> {
                context.deferReply().fail(what);
                MachineObservers.report(context.scope(), what);
            }
        }
        return state;
    }
}
