package io.fibry.internal;

/** Makes the handler of a new actor, inside it and before its first message. */
final class StartNode extends FirstNode {
    @Override
    void handle(Turn turn) {
        turn.skipped();
        try {
            turn.behavior.begin(turn);
        } catch (Throwable failure) {
            turn.startFailed(failure);
        }
    }

    /** The first message tries again. */
    @Override
    void refused(Turn turn, Throwable why) {
        turn.skipped();
        turn.startFailed(why);
    }
}
