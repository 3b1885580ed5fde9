// OpenCV looks for the edges of a picture on the workers of a pool.
#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <heist/integrations/opencv.hpp>

int main() {
  heist::pool pool;
  heist::integrations::use_in_opencv(pool);
  cv::Mat picture(1080, 1920, CV_8UC1), smooth, edges;
  cv::parallel_for_(cv::Range(0, picture.rows), [&](const cv::Range& rows) {
    for (int y = rows.start; y < rows.end; ++y)
      for (int x = 0; x < picture.cols; ++x)
        picture.at<unsigned char>(y, x) = static_cast<unsigned char>((x ^ y) & 0xf0);
  });
  cv::GaussianBlur(picture, smooth, {}, 3);
  cv::Sobel(smooth, edges, CV_32F, 1, 1);
  std::printf("heist, %d threads: the mean edge is %.3f\n", cv::getNumThreads(),
              cv::mean(cv::abs(edges))[0]);
}
