package io.fibry.internal;

/** A timer's message. It is looked up at the timer when its turn comes: that may have been cancelled. */
final class TickNode extends Node {
    final ActorTimers.Timer timer;

    TickNode(ActorTimers.Timer timer) {
        this.timer = timer;
    }

    @Override
    void handle(Turn turn) {
        if (!timer.takeTick()) {
            turn.skipped();
            return;
        }
        try {
            turn.cell.behavior.handle(turn, timer.message);
        } catch (Throwable failure) {
            turn.failed(timer.message.getClass(), failure);
            timer.afterTick();
            return;
        }
        turn.handled();
        timer.afterTick();
    }

    @Override
    boolean isControl() {
        return true;
    }
}
