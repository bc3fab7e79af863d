package io.fibry.topic;

/** The places at which a seeded schedule may switch threads, for scenarios. */
public final class TopicProbe {
    private TopicProbe() {
    }

    /** Sets what runs at these places. */
    public static void marks(Runnable hook) {
        TopicMarks.hook(hook);
    }
}
