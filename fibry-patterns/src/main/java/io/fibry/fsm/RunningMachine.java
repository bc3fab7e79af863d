package io.fibry.fsm;

import io.fibry.ActorContext;
import io.fibry.OverflowPolicy;
import io.fibry.Request;
import io.fibry.function.Handler;
import io.fibry.message.Envelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A machine at work: the state of its actor. A restart makes a new one, and so does an actor that has abandoned a handler,
 * before its next message. In that case the timers of the machine before still run, and the events that it has postponed stay
 * aside until the new one begins.
 */
final class RunningMachine {
    private final TransitionTable<?, ?, ?> table;
    private final MachineOptions options;
    private final MachineObservers observers;
    /** The events that were raised and wait in the urgent lane of the actor. They outlive a restart, as the lane does. */
    private final Deque<Object> raised;
    private Object state;
    /** What the table says about the state. */
    private StateRules rules;
    private Object data;
    /** Stands for the time in the present state, if it has time-outs: those of another time in a state mean nothing. */
    private @Nullable Object stay;
    /** Whether events may be aside: of this machine, or of one before a restart. */
    private boolean mayHavePostponed = true;

    RunningMachine(TransitionTable<?, ?, ?> table, MachineOptions options, MachineObservers observers,
            Deque<Object> raised, Object data) {
        this.table = table;
        this.options = options;
        this.observers = observers;
        this.raised = raised;
        this.data = data;
        state = table.initial();
        rules = rulesOf(state);
    }

    /** The message of a state's time-out. */
    private record TimeIsOver(Object stay, Rule rule, Duration after) implements Envelope {
        @Override
        public Object content() {
            return after;
        }

        @Override
        public Optional<String> about() {
            return Optional.of("the time-out of a state after " + after);
        }
    }

    /** A time-out of a state that is about to be entered. */
    private record TimeOut(Rule rule, Duration after) {
    }

    /** Enters the initial state. */
    void begin(ActorContext<Object, @Nullable Object> context) throws Exception {
        var step = new MachineStep(context, state, data, null, options.raised());
        try {
            enter(rules, step);
            settle(context, step, timeOuts(rules, step));
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
        if (message == raised.peekFirst()) { // raised events come before all others
            raised.removeFirst();
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

    private @Nullable Object timedOut(ActorContext<Object, @Nullable Object> context, TimeIsOver over)
            throws Exception {
        try {
            return over.stay() == stay && over.rule().allows(state, over.after(), data)
                    ? step(context, over.rule(), over.after(), null) : state;
        } catch (Throwable failure) {
            tellFailed(context, failure);
            throw failure;
        }
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
                context.timers(); // refuses a thread that the actor has abandoned
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
        leave(step);
        act(rule, step, trigger);
        var next = rule.target() instanceof Target.Make made ? made(made, trigger, step)
                : ((Target.GoTo) rule.target()).state();
        var nextRules = rulesOf(next);
        step.enter(next);
        // mutant: failed-step-has-moved
        enter(nextRules, step);
        var timeOuts = timeOuts(nextRules, step);
        // No code of the program runs from here on, so the step is made as a whole.
        cancelTimeOuts(context);
        state = next;
        rules = nextRules;
        settle(context, step, timeOuts);
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

    /** Runs the actions of a state, and after them those of every state. */
    private void enter(StateRules next, MachineStep step) throws Exception {
        run(next.entry(), step);
        if (!next.isLast()) {
            run(table.every().entry(), step);
        }
    }

    private void leave(MachineStep step) throws Exception {
        run(rules.exit(), step);
        run(table.every().exit(), step);
    }

    private static void run(List<Handler<Step<Object, Object, Object>>> actions, MachineStep step)
            throws Exception {
        for (var action : actions) {
            action.handle(step);
        }
    }

    private static List<TimeOut> timeOuts(StateRules next, MachineStep step) {
        if (next.timed().isEmpty()) {
            return List.of();
        }
        var found = new ArrayList<TimeOut>();
        for (var rule : next.timed()) {
            found.add(new TimeOut(rule, StateRows.checkDelay(
                    Objects.requireNonNull(rule.delay()).apply(step.state(), step.data()))));
        }
        return found;
    }

    private void cancelTimeOuts(ActorContext<Object, @Nullable Object> context) {
        var timers = context.timers(); // refuses a thread that the actor has abandoned
        for (var rule : rules.timed()) {
            timers.cancel(rule);
        }
    }

    /** The rest of a step that has entered a state. */
    private void settle(ActorContext<Object, @Nullable Object> context, MachineStep step,
            List<TimeOut> timeOuts) {
        data = step.carried();
        var now = timeOuts.isEmpty() ? null : new Object();
        stay = now;
        for (var each : timeOuts) {
            context.timers().once(each.rule(), each.after(),
                    new TimeIsOver(Objects.requireNonNull(now), each.rule(), each.after()));
        }
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
        for (var event : step.raised()) {
            // mutant: raised-event-waits-behind-others
            if (context.self().sendUrgent(event)) { // if not, that is reported
                raised.addLast(event);
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
