package io.fibry.examples;

/** Placeholder: shows which Java runs the examples. */
public final class SampleExample {
    private SampleExample() {
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("SampleExample runs on Java " + Runtime.version().feature());
        if (args.length > 0)
            Thread.sleep(Long.parseLong(args[0]));
    }
}
