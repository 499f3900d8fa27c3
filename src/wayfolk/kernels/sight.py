"""What can be seen from where."""

from wayfolk.kernels.jit import kernel


@kernel
def compare(truth, known, stride, width, height, eyes, radius, noted, wrong):
    """Write the cells within `radius` of any eye that differ to `wrong`; how many."""
    n = 0
    reach = int(radius)
    for eye in eyes:
        eye_y, eye_x = eye // stride, eye % stride
        for y in range(max(1, eye_y - reach), min(height, eye_y + reach) + 1):
            for x in range(max(1, eye_x - reach), min(width, eye_x + reach) + 1):
                cell = y * stride + x
                if truth[cell] != known[cell] and not noted[cell]:
                    if (y - eye_y) * (y - eye_y) + (x - eye_x) * (x - eye_x) <= radius * radius:
                        noted[cell] = True
                        wrong[n] = cell
                        n += 1
    return n
