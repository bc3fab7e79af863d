package io.fibry.codec;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Something is wrong at a place that is not yet known. Who catches it adds the place, and the codec makes an exception of it. */
final class Fault extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String what;
    private final String place;

    Fault(String what) {
        this(what, null);
    }

    Fault(String what, @Nullable Throwable cause) {
        this(what, "", cause);
    }

    private Fault(String what, String place, @Nullable Throwable cause) {
        super(what, cause, false, false);
        this.what = what;
        this.place = place;
    }

    /** The same within a component. */
    Fault within(String component) {
        var inner = place.isEmpty() || place.startsWith("[") ? place : "." + place;
        return new Fault(what, component + inner, getCause());
    }

    String text() {
        return place.isEmpty() ? what : place + ": " + what;
    }
}
