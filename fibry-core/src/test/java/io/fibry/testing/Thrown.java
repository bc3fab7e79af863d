package io.fibry.testing;

import io.fibry.ActorExitException;
import java.io.IOException;

/** What user code may throw at us. */
public enum Thrown {
    UNCHECKED {
        @Override
        public void fail() {
            throw new IllegalArgumentException("unchecked");
        }
    },
    CHECKED {
        @Override
        public void fail() {
            throw Sneaky.thrown(new IOException("checked, where none may be thrown"));
        }
    },
    INTERRUPTED {
        @Override
        public void fail() {
            throw Sneaky.thrown(new InterruptedException("nobody interrupted"));
        }
    },
    EXIT {
        @Override
        public void fail() {
            throw new ActorExitException("nobody asked to exit");
        }
    },
    STACK_OVERFLOW {
        @Override
        public void fail() {
            deeper(0);
        }
    },
    OUT_OF_MEMORY {
        @Override
        public void fail() {
            throw new OutOfMemoryError("made by hand");
        }
    },
    LINKAGE {
        @Override
        public void fail() {
            throw new NoClassDefFoundError("made by hand");
        }
    },
    THREAD_DEATH {
        @Override
        public void fail() {
            throw new Error("as ThreadDeath was");
        }
    };

    /** Throws it. */
    public abstract void fail();

    private static int deeper(int depth) {
        return deeper(depth + 1) + depth;
    }
}
